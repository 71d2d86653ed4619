// Threads whose changed parts alone are read again.
import fc from 'fast-check'
import type { KyselyPlugin } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { whileAwaited } from '../src/database/task.js'
import { Outlines } from '../src/domain/outlines/outlines.js'
import { Values } from '../src/domain/values.js'
import type { Caller } from '../src/kernel/caller.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { useDomain } from './support/new-domain.js'

const RUNS = Math.max(5, Math.round(100 * Number(process.env.STEPWELL_RUNS ?? 0.1)))
const made = useDomain()

/** Counts the steps that statements return in lists, a list for each column. */
let stepsRead = 0
const counting: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    for (const row of result.rows as { lists?: unknown[][] }[])
      stepsRead += row.lists?.[0]?.length ?? 0
    return result
  },
}

let seen: typeof made.db
beforeAll(() => {
  seen = made.db.withPlugin(counting)
})

const outlines = (partSteps?: number) => new Outlines(seen, new Values(DEFAULT_LIMITS), partSteps)

const read = async (from: Outlines, caller: Caller, threadId = 't') => {
  const outline = await from.find(caller, { threadId })
  if (outline === null) return null
  const skeleton = await outline.skeleton({})
  return {
    revision: await outline.revision(),
    names: await outline.names(),
    types: await outline.types(),
    maxDepth: await outline.maxDepth(),
    startedAt: await outline.startedAt(),
    endedAt: await outline.endedAt(),
    skeleton,
  }
}

let projects = 0
const newCaller = () => ({ projectId: `p${projects++}`, environment: 'prod' }) as Caller

/** Microseconds around the bounds of parts, moments that many share, and far ones. */
const FRACTIONS = ['00', '00.000499', '00.0005', '00.000501', '00.001', '00.0015', '00.01', '01']
const moment = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...FRACTIONS).map((at) => `2026-01-01T10:00:${at}Z`) },
  {
    weight: 4,
    arbitrary: fc.nat(30).map((at) => `2026-01-01T10:00:00.${`${at}`.padStart(3, '0')}Z`),
  },
  { weight: 1, arbitrary: fc.constantFrom('0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z') },
)
const step = fc.record(
  {
    id: fc.nat(30).map((number) => `s${number}`),
    parentId: fc.nat(30).map((number) => `s${number}`),
    startTime: moment,
    endTime: moment,
    name: fc.constantFrom('a', 'b', null),
    type: fc.constantFrom('run', 'tool', 'llm'),
    error: fc.constantFrom(null, 'boom'),
    generation: fc.record(
      { tokenCount: fc.nat(5), cost: fc.constantFrom(0.1, 0.2) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['id'] },
)

test('a thread is as if it were read whole, whatever is added, changed, moved and deleted between looks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 40 }),
      fc.array(fc.record({ more: fc.array(step, { maxLength: 4 }), deleted: fc.nat(60) }), {
        minLength: 2,
        maxLength: 5,
      }),
      fc.integer({ min: 1, max: 5 }),
      async (first, changes, partSteps) => {
        const caller = newCaller()
        const parts = outlines(partSteps)
        const send = (steps: typeof first) =>
          made.domain.steps.ingest(caller, steps.map((one) => ({ ...one, threadId: 't' })) as never)
        await send(first)
        for (const { more, deleted } of [{ more: [], deleted: 60 }, ...changes]) {
          await send(more)
          if (deleted <= 30) await made.domain.steps.delete(caller, `s${deleted}`)
          expect(await read(parts, caller)).toEqual(await read(outlines(), caller))
        }
      },
    ),
    { numRuns: RUNS },
  )
})

test('one step more, and one that ended, cost the reading of their parts', async () => {
  const caller = newCaller()
  const parts = outlines(10)
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString()
  const given = Array.from({ length: 300 }, (_, index) => ({
    id: `s${index}`,
    threadId: 't',
    startTime: at(index),
  }))
  const send = (...steps: object[]) => made.domain.steps.ingest(caller, steps as never)
  await send(...given)
  stepsRead = 0
  await read(parts, caller)
  expect(stepsRead).toBe(300)
  // The first look after it knows the sums of parts.
  await read(parts, caller)
  expect(stepsRead).toBe(300)
  await send({ id: 's0', endTime: at(400) }, { id: 's300', threadId: 't', startTime: at(300) })
  stepsRead = 0
  const { skeleton } = (await read(parts, caller)) ?? {}
  expect(skeleton?.id).toHaveLength(301)
  expect(skeleton?.duration[0]).toBe(400_000)
  expect(stepsRead).toBeLessThanOrEqual(22)
})

test('a step that changes between the look and the reading is read again after the next look', async () => {
  const caller = newCaller()
  const parts = outlines(2)
  const send = (...steps: object[]) => made.domain.steps.ingest(caller, steps as never)
  const named = (name: string) => ({ id: 's3', name })
  await send(
    ...Array.from({ length: 12 }, (_, at) => ({
      id: `s${at}`,
      threadId: 't',
      startTime: `2026-01-01T10:00:${10 + at}Z`,
    })),
  )
  await read(parts, caller)
  await read(parts, caller)
  await send(named('first'))
  const outline = await parts.find(caller, { threadId: 't' })
  await send(named('second'))
  expect(await outline?.names()).toEqual(['second'])
  await send(named('third'))
  expect((await read(parts, caller))?.names).toEqual(['third'])
})

test('an outline whose first reader leaves is read on, for whoever joined', async () => {
  const caller = newCaller()
  const steps = [1, 2, 3].map((at) => ({ id: `left-${at}`, threadId: 'left' }))
  await made.domain.steps.ingest(caller, steps as never)
  const kept = outlines()
  const first = await kept.find(caller, { threadId: 'left' })
  const other = await kept.find(caller, { threadId: 'left' })
  expect(other).toBe(first)
  const left = whileAwaited(
    () => false,
    () => first?.stepCount(),
  )
  expect(await other?.stepCount()).toBe(3)
  expect(await left).toBe(3)
})
