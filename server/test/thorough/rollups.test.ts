import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../test/support/runs.js'
import { Rollups } from '../../src/domain/rollups/rollups.js'
import type { Caller } from '../../src/kernel/caller.js'
import { type CountedList, compareCounts } from '../support/compare-counts.js'
import { compareRollups, type Question } from '../support/compare-rollups.js'
import { useDomain } from '../support/new-domain.js'
import { settle } from '../support/settle.js'

const made = useDomain()

const HOUR_MS = 3_600_000
const BEGIN_MS = Date.parse('2026-03-01T22:00:00Z')
const RANGE_MS = 28 * HOUR_MS
const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

const callerOf = (projectId: string) =>
  ({ projectId, environment: 'prod', scopes: ['admin'] }) as unknown as Caller

const moment = fc.oneof(
  fc.integer({ min: 0, max: RANGE_MS - 1 }),
  // Around the limits of minutes, ten of them, hours and days: many of the first hours, and the end of the second day.
  fc
    .tuple(fc.constantFrom(0, 0, 1, 2, 3, 6, 12, 12, 18, 156), fc.integer({ min: -2, max: 2 }))
    .map(([tens, off]) => (tens * HOUR_MS) / 6 + off),
)
const ofMoment = (ms: number) => new Date(BEGIN_MS + ms).toISOString()

const step = fc.record(
  {
    threadId: fc.constantFrom('t', 'u', 'v'),
    type: fc.constantFrom('run', 'llm', 'tool'),
    name: fc.constantFrom('one', 'two', 'three', 'é\u0000'),
    startTime: moment.map(ofMoment),
    // After each start that a step may get: the bound of percentiles is a share of them.
    endTime: fc.nat(RANGE_MS).map((ms) => ofMoment(RANGE_MS + ms)),
    error: fc.constantFrom('no', null),
    environment: fc.constantFrom('dev', 'prod', 'experiment'),
    metadata: fc.constantFrom({ release: '1' }, { release: '2' }, 'none'),
    generation: fc.record(
      {
        model: fc.constantFrom('gpt-4o', 'unknown'),
        provider: fc.constantFrom('openai', 'x'),
        duration: fc.double({ min: 0, max: 1e6, noNaN: true }),
        inputTokenCount: fc.nat(1e9),
        outputTokenCount: fc.nat(1e9),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['startTime'] },
)

const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      id: fc.constantFrom(...IDS),
      step,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('clearStart' as const), id: fc.constantFrom(...IDS) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('delete' as const), id: fc.constantFrom(...IDS) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('deleteThread' as const),
      id: fc.constantFrom('t', 'u', 'v'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sumUp' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('roll' as const) }) },
)

const dimensions = {
  steps: ['environment', 'release', 'name', 'type'],
  runs: ['environment', 'release', 'name'],
  generations: ['environment', 'release', 'model', 'provider', 'promptVersion'],
  threads: ['environment', 'release'],
}
/** Values of each property: of none, of some and of all rows. */
const values = {
  name: ['one', 'two', 'four'],
  type: ['run', 'llm'],
  model: ['gpt-4o', 'unknown', 'none'],
  provider: ['openai', 'x'],
}
const question: fc.Arbitrary<Question> = fc
  .record({
    subject: fc.constantFrom('steps', 'runs', 'generations', 'threads'),
    dimension: fc.nat(9),
    limits: fc.oneof(
      fc.tuple(moment, moment).filter(([from, to]) => from !== to),
      fc.constantFrom<[number, number]>(
        [0, RANGE_MS],
        [0, 4 * HOUR_MS],
        [-HOUR_MS, RANGE_MS + HOUR_MS],
        // From midnight to midnight.
        [-22 * HOUR_MS, 50 * HOUR_MS],
      ),
    ),
    buckets: fc.constantFrom(1, 2, 3, 4, 6, 24, 48),
    environment: fc.constantFrom(null, null, 'prod'),
    excludeExperiments: fc.boolean(),
    only: fc.option(fc.tuple(fc.constantFrom(...Object.entries(values)), fc.nat(2)), { freq: 2 }),
  })
  .map(({ dimension, limits, subject, only, ...rest }) => ({
    ...rest,
    subject,
    by: dimensions[subject as keyof typeof dimensions][dimension],
    only: onlyOf(subject as keyof typeof dimensions, only),
    fromMs: BEGIN_MS + Math.min(...limits),
    toMs: BEGIN_MS + Math.max(...limits),
  })) as never

const onlyOf = (
  subject: keyof typeof dimensions,
  only: [[string, string[]], number] | null,
): Question['only'] => {
  const [[dimension, of], place] = only ?? [['', []], 0]
  const value = of[place]
  if (value === undefined || !dimensions[subject].includes(dimension)) return undefined
  return { dimension, value }
}

/** Asks a list for the rows of a question; without its limits in time now and then. */
const listOf = ({ subject, fromMs, toMs, environment, only, buckets }: Question) => {
  const given = [
    { field: 'environment', operator: 'eq', value: environment },
    ...(only === undefined ? [] : [{ field: only.dimension, operator: 'eq', value: only.value }]),
    ...(buckets === 2
      ? []
      : [{ field: 'startedAt', operator: 'gte', value: new Date(fromMs).toISOString() }]),
    ...(buckets === 3
      ? []
      : [{ field: 'startedAt', operator: 'lt', value: new Date(toMs).toISOString() }]),
  ]
  const list: CountedList = subject === 'runs' ? 'steps' : subject
  return { list, request: { filters: given.filter(({ value }) => value !== null) } }
}

let projects = 0
const RULES = {
  quietSeconds: { 60: 0, 600: 0, 3600: 0, 21600: 0, 86400: 0 },
  restFactor: 0,
}

const perform = async (
  caller: Caller,
  rollups: Rollups,
  one: typeof action extends fc.Arbitrary<infer A> ? A : never,
) => {
  const { steps, threads } = made.domain
  switch (one.kind) {
    case 'write':
      return steps.ingest(caller, [{ id: one.id, ...one.step } as never])
    case 'clearStart':
      return steps.ingest(caller, [{ id: one.id, startTime: null } as never])
    case 'delete':
      return steps.delete(caller, one.id)
    case 'deleteThread':
      return threads.delete(caller, one.id)
    case 'sumUp':
      return threads.sumUpAll({ projectId: caller.projectId })
    case 'roll':
      // One turn, which may leave some marks.
      return rollups.work()
  }
}

test('metrics and counts from measured spans are those of the rows, after any changes in any order', async () => {
  let used = 0
  let counted = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 4, maxLength: 30 }),
      fc.array(question, { minLength: 6, maxLength: 10 }),
      fc.record({
        fewestRows: fc.constantFrom(1, 1, 2, 3),
        mergedRows: fc.constantFrom(1, 2, 5, 20_000),
        portionRows: fc.constantFrom(1, 2, 5, 2000),
      }),
      async (actions, questions, rules) => {
        const caller = callerOf(`p${projects++}`)
        const rollups = new Rollups(made.db, { ...RULES, ...rules })
        for (const one of actions) await perform(caller, rollups, one)
        const ask = async () => {
          for (const one of questions) {
            if (await compareRollups(made.db, caller.projectId, one)) used++
            const { list, request } = listOf(one)
            if (await compareCounts(made.db, caller.projectId, list, request)) counted++
          }
        }
        await ask()
        await settle(rollups)
        await ask()
      },
    ),
    { numRuns: runs(60) },
  )
  // Rollups were read, and not the rows alone.
  expect(used).toBeGreaterThan(0)
  expect(counted).toBeGreaterThan(0)
})
