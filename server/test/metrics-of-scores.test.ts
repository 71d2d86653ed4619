import fc from 'fast-check'
import { expect, test } from 'vitest'
import { measureScores, type ScoreSizes } from '../src/domain/metrics/scores.js'
import type { Series } from '../src/domain/metrics/series.js'
import type { Caller } from '../src/kernel/caller.js'
import { expectSameSeries } from './support/compare-series.js'
import { useDomain } from './support/new-domain.js'

const made = useDomain()
const RUNS = Math.max(5, Math.round(60 * Number(process.env.STEPWELL_RUNS ?? 0.1)))

const ENVIRONMENTS = ['prod', 'dev', 'experiment'] as const
const value = fc.constantFrom(-3, 0, 0.1, 1, 1e9 + 0.5)
/** The step and the thread of each score by their numbers; a score belongs to one of them. */
const score = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
  value,
  step: fc.option(fc.nat(5), { nil: null }),
  thread: fc.nat(3),
})
type Score = typeof score extends fc.Arbitrary<infer Value> ? Value : never

const HOUR_MS = 3_600_000
const now = Date.now()
const range = {
  from: new Date(now - 24 * HOUR_MS).toISOString(),
  to: new Date(now + 24 * HOUR_MS).toISOString(),
  bucketSeconds: 4 * 3600,
  environment: null,
  participantId: null,
  excludeExperiments: false,
}

const environmentOf = (given: readonly (typeof ENVIRONMENTS)[number][], at: number) =>
  given[at % given.length] ?? 'prod'

const record = async (
  caller: Caller,
  environments: readonly (typeof ENVIRONMENTS)[number][],
  scores: readonly Score[],
) => {
  for (let at = 0; at < 6; at++)
    await made.domain.steps.ingest(caller, [
      {
        id: `s${at}`,
        type: 'run',
        environment: environmentOf(environments, at),
        scores: scores.flatMap(({ step, name, value }, index) =>
          step === at ? { id: `c${index}`, name, type: 'AI', value } : [],
        ),
      },
    ] as never)
  for (let at = 0; at < 4; at++)
    await made.domain.steps.ingest(caller, [
      {
        id: `in${at}`,
        threadId: `t${at}`,
        type: 'run',
        environment: environmentOf(environments, at + 1),
      },
    ] as never)
  for (const [index, { step, thread, name, value }] of scores.entries())
    if (step === null)
      await made.domain.scores.create(caller, {
        id: `c${index}`,
        threadId: `t${thread}`,
        name,
        type: 'AI',
        value,
      } as never)
}

/** Series by their keys, those of equal counts among them. */
const sorted = (series: readonly Series[]) =>
  [...series].sort((a, b) => (String(a.key) < String(b.key) ? -1 : 1))

test('the mean and the deviation of scores are those of their values, by name and without experiments, however they are read', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...ENVIRONMENTS), { minLength: 1, maxLength: 6 }),
      fc.array(score, { maxLength: 15 }),
      fc.boolean(),
      fc.constantFrom(undefined, 'name' as const),
      async (environments, scores, excludeExperiments, by) => {
        const projectId = `p${run++}`
        const caller = { projectId, environment: 'prod' } as Caller
        await record(caller, environments, scores)
        const counted = scores.filter(({ step, thread }) => {
          const at = step ?? thread + 1
          return !excludeExperiments || environmentOf(environments, at) !== 'experiment'
        })
        const measured = async (sizes: Partial<ScoreSizes>) =>
          measureScores(
            made.db,
            projectId,
            { ...range, excludeExperiments } as never,
            { by },
            { mostRows: 1000, ...sizes },
          )
        const series = await measured({})
        // Rows of experiments that are too many to be named, and scores that come in several portions.
        const one = await measured({ mostLeftOut: 0, lookedUpAtOnce: 3 })
        expectSameSeries(sorted(one), sorted(series))
        expect(series.reduce((sum, { total }) => sum + total.count, 0)).toBe(counted.length)
        for (const { key, isRest, total } of series) {
          if (isRest) continue
          const values = counted.flatMap(({ name, value }) =>
            by === undefined || name === key ? value : [],
          )
          const mean = values.reduce((sum, one) => sum + one, 0) / values.length
          const squares = values.reduce((sum, one) => sum + (one - mean) ** 2, 0)
          expect(total.count).toBe(values.length)
          expect(total.mean).toBeCloseTo(mean, 3)
          if (values.length < 2) expect(total.deviation).toBeNull()
          else expect(total.deviation).toBeCloseTo(Math.sqrt(squares / (values.length - 1)), 2)
        }
      },
    ),
    { numRuns: RUNS },
  )
})

test('values too large to be averaged are left out, however scores are read', async () => {
  const caller = { projectId: 'extreme', environment: 'prod' } as Caller
  const values = [1, 3, 1e308, -1e308, 1e200]
  const scores = values.map((value) => ({ name: 'a' as const, value, step: 0, thread: 0 }))
  await record(caller, ['prod'], scores)
  for (const environment of [null, 'prod']) {
    const [series] = await measureScores(
      made.db,
      'extreme',
      { ...range, environment } as never,
      {},
      { mostRows: 1000 },
    )
    expect(series?.total).toMatchObject({ count: 2, mean: 2, deviation: Math.SQRT2 })
  }
})

test('more scores than a question may read are refused, and so many are not', async () => {
  const caller = { projectId: 'many', environment: 'prod' } as Caller
  const scores = Array.from({ length: 5 }, (_, at) => ({
    id: `m${at}`,
    name: 'n',
    type: 'AI',
    value: at,
  }))
  await made.domain.steps.ingest(caller, [{ id: 'm', type: 'run', scores }] as never)
  const measured = (mostRows: number) =>
    measureScores(made.db, 'many', range as never, {}, { mostRows })
  await expect(measured(4)).rejects.toThrow('more than 4 rows')
  expect((await measured(5))[0]?.total).toMatchObject({ count: 5, mean: 2 })
})

test('of names that count the same, the first ones have a series of their own, however scores are read', async () => {
  const caller = { projectId: 'ties', environment: 'prod' } as Caller
  const names = ['i', 'c', 'a', 'h', 'b', 'g', 'f', 'e', 'd']
  await record(
    caller,
    ['prod', 'experiment'],
    names.map((name, index) => ({ name, value: 1, step: index === 0 ? 1 : 0, thread: 0 })) as never,
  )
  for (const sizes of [{}, { mostLeftOut: 0, lookedUpAtOnce: 2 }]) {
    const series = await measureScores(
      made.db,
      'ties',
      { ...range, excludeExperiments: true } as never,
      { by: 'name' },
      { mostRows: 1000, ...sizes },
    )
    expect(series.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd', 'e', null])
    expect(series.at(-1)?.isRest).toBe(true)
  }
})
