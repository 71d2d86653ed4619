import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Caller } from '../src/kernel/caller.js'
import type { OutlinePortion } from '../src/storage/outlines/portion.js'
import { readOutlineBelow, readOutlineOfThread } from '../src/storage/outlines/read.js'
import { useDomain } from './support/new-domain.js'

const made = useDomain()
const RUNS = Math.max(5, Math.round(100 * Number(process.env.STEPWELL_RUNS ?? 0.1)))

const SECONDS = ['00', '00.000001', '01', '02']
const step = fc.record({
  /** Low numbers, so that trees are wide, with circles among them. */
  parent: fc.option(
    fc.oneof({ weight: 4, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(20) }),
    { nil: null, freq: 8 },
  ),
  second: fc.option(fc.constantFrom(...SECONDS), { nil: null }),
})

const childrenOf = (...parents: (number | null)[]) =>
  parents.map((parent) => ({ parent, second: null }))

const idsOf = async (portions: AsyncIterable<OutlinePortion>) => {
  const read: string[][] = []
  for await (const { id, parentId } of portions) {
    expect(parentId).toHaveLength(id.length)
    read.push(id)
  }
  return read
}

test('steps of any starts and parents are read once in portions of any size, all of them or the first ones', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 25 }),
      async (steps, portion, most) => {
        const projectId = `p${run++}`
        const caller = { projectId, environment: 'prod' } as Caller
        const given = steps.map(({ parent, second }, at) => ({
          id: `s${at}`,
          threadId: 't',
          parentId: parent === null ? null : `s${parent}`,
          startTime: second === null ? null : `2026-01-01T10:00:${second}Z`,
        }))
        await made.domain.steps.ingest(caller, given as never)
        const ids = given.map(({ id }) => id).sort()

        const thread = await idsOf(readOutlineOfThread(made.db, projectId, 't', { portion }))
        expect(thread.flat().sort()).toEqual(ids)
        expect(Math.max(...thread.map(({ length }) => length))).toBeLessThanOrEqual(portion)
        const first = await idsOf(readOutlineOfThread(made.db, projectId, 't', { portion, most }))
        expect(first.flat()).toEqual(thread.flat().slice(0, most))

        const below = new Set(['s0'])
        for (let size = 0; size < below.size; ) {
          size = below.size
          for (const { id, parentId } of given) if (below.has(parentId ?? '')) below.add(id)
        }
        const goOn = async () => undefined
        const tree = await idsOf(readOutlineBelow(made.db, projectId, 's0', goOn, { portion }))
        expect([...new Set(tree.flat())].sort()).toEqual([...below].sort())
        const part = await idsOf(
          readOutlineBelow(made.db, projectId, 's0', goOn, { portion, most }),
        )
        expect(new Set(part.flat()).size).toBe(Math.min(most, below.size))
      },
    ),
    {
      numRuns: RUNS,
      // Children of several parents that are more than are left, and a circle through the step itself.
      examples: [
        [childrenOf(null, 0, 0, 0, 1, 1), 3, 5],
        [childrenOf(1, 0, 1), 7, 3],
      ],
    },
  )
})
