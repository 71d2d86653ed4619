import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Backlog } from '../src/outbox/backlog.js'
import { newBatch, type Session, threadItem } from '../src/outbox/batch.js'
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
    scores: fc.array(
      fc.record({ name: fc.constantFrom('good', 'short'), value: fc.nat({ max: 9 }) }),
      { maxLength: 2 },
    ),
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

const newSession = (id: string, second: number): Session => ({
  id,
  startedAt: `2026-01-01T00:00:0${second}.000Z`,
  release: undefined,
  recorded: 0,
  endedAt: undefined,
})

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

test('sessions of ended processes, taken over in any order, change a thread in the order of their beginnings', () => {
  const session = fc.record({
    second: fc.integer({ min: 0, max: 3 }),
    changes: fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }),
  })
  fc.assert(
    fc.property(fc.array(session, { maxLength: 6 }), (sessions) => {
      const own = newSession('own', 9)
      const backlog = new Backlog(own, { maxBatchSteps: 10, maxBatchBytes: 1000 })
      const expected = new Map<string, string[]>()
      for (const [index, { second, changes }] of sessions.entries())
        backlog.adopt(
          changes.map((id, number) => {
            const name = `${second} ${index} ${number}`
            expected.set(id, [...(expected.get(id) ?? []), name])
            const change = { record: { id, name }, mark: number, order: 0, size: 1 }
            return newBatch(newSession(String(index), second), { threads: [threadItem(change)] })
          }),
        )
      const sent = new Map<string, string[]>()
      for (let batch = backlog.lease(0); batch !== undefined; batch = backlog.lease(0)) {
        for (const { record } of batch.threads)
          sent.set(record.id, [...(sent.get(record.id) ?? []), String(record.name)])
        backlog.release(batch)
      }
      for (const names of expected.values()) names.sort()
      expect(sent).toEqual(expected)
    }),
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
