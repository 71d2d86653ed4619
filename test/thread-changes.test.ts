import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ThreadRecord } from '../src/outbox/records.js'
import { ThreadChanges } from '../src/outbox/thread-changes.js'
import { applyChange, type StoredThread } from './simulation/service.js'

const value = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 9 }))
const change: fc.Arbitrary<ThreadRecord> = fc.record(
  {
    id: fc.constantFrom('a', 'b'),
    name: fc.oneof(fc.string(), fc.constant(null)),
    participantId: fc.constantFrom('ada', 'bob'),
    environment: fc.constantFrom('dev', 'prod'),
    tags: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
    metadata: fc.oneof(
      { weight: 4, arbitrary: fc.dictionary(fc.constantFrom('one', 'two', '__proto__'), value) },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
  },
  { requiredKeys: ['id'] },
)

/** Takes all waiting changes, in the order in which they are sent: one of each thread at a time. */
const takeAll = (changes: ThreadChanges): ThreadRecord[] => {
  const taken: ThreadRecord[] = []
  while (!changes.isEmpty) taken.push(...changes.take(new Set()).map(({ record }) => record))
  return taken
}

const threadsAfter = (changes: readonly ThreadRecord[]): Map<string, StoredThread> => {
  const threads = new Map<string, StoredThread>()
  for (const one of changes) threads.set(one.id, applyChange(threads.get(one.id), one))
  return threads
}

test('merged changes have the same effect on a thread as one after the other', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const waiting = new ThreadChanges()
      for (const [index, record] of changes.entries())
        waiting.add({ record, mark: undefined, order: index + 1, size: 1 })
      expect(threadsAfter(takeAll(waiting))).toEqual(threadsAfter(changes))
      expect(waiting.size).toBe(0)
    }),
    { numRuns: 1000 },
  )
})

test('fifty changes of a thread’s metadata become one', () => {
  const waiting = new ThreadChanges()
  for (let order = 1; order <= 50; order++)
    waiting.add({ record: { id: 'a', metadata: { [order]: order } }, mark: order, order, size: 1 })
  const [item, ...others] = waiting.take(new Set())
  expect(others).toEqual([])
  expect(Object.keys(item?.record.metadata as object)).toHaveLength(50)
})
