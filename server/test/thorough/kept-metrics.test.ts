import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { runs } from '../../../test/support/runs.js'
import type { QueryMetricsArgs, StepInput } from '../../generated/resolvers.js'
import { parseStepPatch } from '../../src/domain/ingestion/step-patch.js'
import type { Series } from '../../src/domain/metrics/series.js'
import { ProjectPrices } from '../../src/domain/prices/project-prices.js'
import { Cleaner } from '../../src/domain/retention/cleaner.js'
import { deletePortion } from '../../src/domain/retention/delete-portion.js'
import { Rollups } from '../../src/domain/rollups/rollups.js'
import { ThreadSums } from '../../src/domain/threads/sums.js'
import { Values } from '../../src/domain/values.js'
import type { Caller } from '../../src/kernel/caller.js'
import { createClock } from '../../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../../src/kernel/limits.js'
import { useDomain } from '../support/new-domain.js'

// Metrics that go on to count what a project has deleted because of its age.
const made = useDomain()

const values = new Values(DEFAULT_LIMITS)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A midnight 60 days ago. */
const BEGIN_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 60 * DAY_MS
const RANGE_MS = 3 * DAY_MS
const ofMoment = (ms: number) => new Date(BEGIN_MS + ms).toISOString()
const RULES = { rules: [{ days: 30 }], keepMetrics: true }

const newCaller = async (): Promise<Caller> => {
  const { projectId } = await made.domain.projects.create(crypto.randomUUID())
  return { projectId, keyId: 'k', keyName: 'key', scopes: ['admin'], environment: 'prod' }
}

/** Records steps as if they had arrived when they began. */
const record = async ({ ...caller }: Caller, steps: readonly StepInput[]) => {
  const results = await made.domain.ingestion.store(
    steps.map((step) => parseStepPatch(values, caller, step)),
  )
  expect(results).toEqual(steps.map(() => null))
  await made.domain.threads.catchUp()
  for (const table of ['steps', 'threads'])
    await sql`UPDATE ${sql.table(table)} SET created_at = ${ofMoment(0)}::timestamptz
      WHERE project_id = ${caller.projectId}`.execute(made.db)
}

const newCleaner = (most = 50) =>
  new Cleaner(made.db, createClock(), new ThreadSums(made.db, new ProjectPrices()), {
    plain: { most, least: 10, shortMs: 0, longMs: 30 },
    keeping: { most, least: 10, shortMs: 0, longMs: 30 },
  })

const clean = async (cleaner = newCleaner()) => {
  while (await cleaner.work());
}

const countOf = async (table: string, { projectId }: Caller) => {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM ${sql.table(table)} WHERE project_id = ${projectId}`.execute(
    made.db,
  )
  return rows[0]?.count
}

type Question = Omit<QueryMetricsArgs, 'from' | 'to'> & { fromMs?: number; toMs?: number }

const ask = (caller: Caller, { fromMs = 0, toMs = RANGE_MS, ...question }: Question) =>
  made.domain.metrics.measure(caller, { ...question, from: ofMoment(fromMs), to: ofMoment(toMs) })

type Answer = Awaited<ReturnType<typeof ask>>

/** Expects the same figures, and percentiles within one in a hundred. */
const expectSame = (now: Answer, before: Answer) => {
  const bare = ({ series }: Answer) => series.map(withoutPercentiles)
  expect(bare(now)).toEqual(bare(before))
  for (const [place, { total, buckets }] of before.series.entries())
    for (const [index, one] of [total, ...buckets].entries()) {
      const series = now.series[place] as Series
      const other = [series.total, ...series.buckets][index]
      for (const name of ['p50', 'p95', 'p99'] as const) {
        const [a, b] = [one[name], other?.[name]]
        if (a === null) expect(b).toBeNull()
        else expect(Math.abs((b ?? Number.NaN) - a)).toBeLessThanOrEqual(0.011 * Math.abs(a))
      }
    }
}

const withoutPercentiles = ({ total, buckets, ...series }: Series) => ({
  ...series,
  measured: [total, ...buckets].map(({ p50, p95, p99, ...figures }) => figures),
})

const trace = (number: number) => `${number}`.padStart(32, '0')
const span = (of: number, number: number) => `${trace(of)}-${`${number}`.padStart(16, '0')}`

const step = fc
  .record(
    {
      threadId: fc.constantFrom('t', 'u', 'v', 'w'),
      type: fc.constantFrom('run', 'llm', 'llm', 'tool'),
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
      // Calls in calls, which count each token once.
      parent: fc.nat(30),
      startMs: fc.nat(RANGE_MS - 1),
      error: fc.constantFrom('no', null),
      environment: fc.constantFrom('dev', 'prod', 'staging'),
      metadata: fc.constantFrom({ release: '1' }, { release: '2' }),
      generation: fc.record(
        {
          model: fc.constantFrom('gpt-4o', 'unknown'),
          duration: fc.double({ min: 0, max: 1e5, noNaN: true }),
          inputTokenCount: fc.nat(1e6),
          outputTokenCount: fc.nat(1e6),
          tokenCount: fc.nat(2e6),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['startMs', 'type', 'name'] },
  )
  .map(({ startMs, ...rest }) => ({
    ...rest,
    startTime: ofMoment(startMs),
    endTime: ofMoment(RANGE_MS),
  }))

const DIMENSIONS = {
  steps: ['environment', 'release', 'name', 'type'],
  runs: ['environment', 'release', 'name'],
  generations: ['environment', 'release', 'model', 'provider', 'promptVersion'],
  threads: ['environment', 'release'],
} as const
const SUBJECTS = Object.keys(DIMENSIONS) as (keyof typeof DIMENSIONS)[]

/** Ranges of whole hours: kept figures count where their hour begins. */
const limits = fc.oneof(
  fc
    .tuple(fc.nat(72), fc.nat(72))
    .filter(([from, to]) => from !== to)
    .map(([from, to]) => ({ from: Math.min(from, to), to: Math.max(from, to), buckets: 1 })),
  fc.constantFrom(1, 2, 3, 6, 72).map((buckets) => ({ from: 0, to: 72, buckets })),
)

const question: fc.Arbitrary<Question> = fc
  .record({
    subject: fc.constantFrom(...SUBJECTS),
    dimension: fc.nat(6),
    limits,
    environment: fc.constantFrom(null, null, 'prod'),
    query: fc.constantFrom(null, null, null, 'name="b"'),
  })
  .map(({ subject, dimension, limits: { from, to, buckets }, environment, query }) => ({
    subject,
    by: query === null ? DIMENSIONS[subject][dimension] : null,
    buckets,
    environment,
    excludeExperiments: true,
    query: subject === 'steps' || subject === 'runs' ? query : null,
    fromMs: from * HOUR_MS,
    toMs: to * HOUR_MS,
  }))

test('metrics of whole hours are the same after everything that they count is deleted, in portions of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 30 }),
      fc.array(question, { minLength: 6, maxLength: 12 }),
      fc.record({ most: fc.constantFrom(1, 2, 5, 50), isRolled: fc.boolean() }),
      async (steps, questions, { most, isRolled }) => {
        const caller = await newCaller()
        await record(
          caller,
          steps.map(({ parent, ...one }, index) => ({
            ...one,
            id: span(1, index),
            parentId: parent === undefined || parent >= index ? null : span(1, parent),
          })) as StepInput[],
        )
        const rollups = new Rollups(made.db, {
          quietSeconds: { 60: 0, 600: 0, 3600: 0, 21600: 0, 86400: 0 },
          restFactor: 0,
        })
        const roll = async () => {
          while (isRolled && (await rollups.work()));
        }
        await roll()
        const before = await Promise.all(questions.map((one) => ask(caller, one)))
        await made.domain.retention.set(caller, RULES)
        // Steps are counted exactly at each moment, a thread once all of it is gone.
        const ofSteps = questions.findIndex(({ subject }) => subject !== 'threads')
        let isDone = false
        const askMeanwhile = async () => {
          while (ofSteps >= 0 && !isDone)
            expectSame(await ask(caller, questions[ofSteps] as Question), before[ofSteps] as Answer)
        }
        const work = async () => {
          try {
            await clean(newCleaner(most))
          } finally {
            isDone = true
          }
        }
        await Promise.all([work(), askMeanwhile()])
        expect(await countOf('steps', caller)).toBe(0)
        expect(await countOf('threads', caller)).toBe(0)
        await roll()
        for (const [index, one] of questions.entries()) {
          const after = await ask(caller, one)
          expectSame(after, before[index] as Answer)
          expect(after.leavesOutDeleted).toBe(false)
        }
      },
    ),
    { numRuns: runs(60) },
  )
})

test('calls within calls count each token once, while their thread goes step by step', async () => {
  const caller = await newCaller()
  const { projectId } = caller
  const call = (number: number, parent: number | null, tokenCount: number) => ({
    id: span(2, number),
    parentId: parent === null ? null : span(2, parent),
    threadId: 'nested',
    type: 'llm',
    name: 'call',
    startTime: ofMoment(number),
    endTime: ofMoment(number + 1000),
    generation: { model: 'gpt-4o', tokenCount },
  })
  // The innermost is the first in any order, and so goes first.
  await record(caller, [call(1, 2, 60), call(2, 3, 90), call(3, null, 100)] as StepInput[])
  const tokens = async () => (await ask(caller, { subject: 'steps' })).series[0]?.total.tokens
  expect(await tokens()).toBe(100)
  await made.domain.retention.set(caller, RULES)
  const due = { moments: { prod: ofMoment(30 * DAY_MS) }, keep: [], keepMetrics: true, most: 1 }
  const portion = { kind: 'threads' as const, ids: ['nested'], steps: 3 }
  for (let isMore = true; isMore; ) {
    const remove = (db: typeof made.db) => deletePortion(db, projectId, portion, due)
    isMore = (await made.db.transaction().execute(remove)).isMore
    // Sums are made anew of what is left.
    await made.domain.threads.sumUpAll({ projectId })
    expect(await tokens()).toBe(100)
  }
  expect(await countOf('threads', caller)).toBe(0)
  const [ofThreads] = (await ask(caller, { subject: 'threads' })).series
  expect(ofThreads?.total).toMatchObject({ count: 1, tokens: 100 })
})

const recordSome = async (count: number, more: (index: number) => Partial<StepInput>) => {
  const caller = await newCaller()
  await record(
    caller,
    Array.from({ length: count }, (_, index) => ({
      id: `s${index}`,
      type: 'run',
      name: 'r',
      startTime: ofMoment(index),
      endTime: ofMoment(index + 1000),
      ...more(index),
    })) as StepInput[],
  )
  return caller
}

const stepsOf = async (caller: Caller, question: Partial<Question> = {}) => {
  const { series, leavesOutDeleted } = await ask(caller, { subject: 'steps', ...question })
  return { count: series.reduce((sum, { total }) => sum + total.count, 0), leavesOutDeleted }
}

test('without keepMetrics, metrics forget what is deleted', async () => {
  const caller = await recordSome(10, () => ({}))
  await made.domain.retention.set(caller, { rules: [{ days: 30 }] })
  await clean()
  expect(await stepsOf(caller)).toEqual({ count: 0, leavesOutDeleted: false })
  expect(await countOf('kept_rollups', caller)).toBe(0)
})

test('keepMetrics holds until it is said otherwise, and what was kept stays', async () => {
  const caller = await recordSome(3, () => ({}))
  const { retention } = made.domain
  expect(await retention.of(caller)).toMatchObject({ keepMetrics: false })
  await retention.set(caller, RULES)
  expect(await retention.set(caller, { rules: [] })).toMatchObject({ rules: [], keepMetrics: true })
  expect(await retention.set(caller, { rules: [{ days: 30 }] })).toMatchObject({
    keepMetrics: true,
  })
  await clean()
  await retention.set(caller, { rules: [{ days: 30 }], keepMetrics: false })
  expect(await retention.of(caller)).toMatchObject({ keepMetrics: false })
  expect(await stepsOf(caller)).toEqual({ count: 3, leavesOutDeleted: false })
})

test('an answer says when it leaves out what was deleted', async () => {
  const caller = await recordSome(4, (index) => ({ threadId: `t${index}` }))
  await made.domain.retention.set(caller, RULES)
  await clean()
  const left = { count: 0, leavesOutDeleted: true }
  expect(await stepsOf(caller, { by: 'user' })).toEqual(left)
  expect(await stepsOf(caller, { participantId: 'somebody' })).toEqual(left)
  expect(await stepsOf(caller, { query: 'name=r type=run' })).toEqual(left)
  expect(await stepsOf(caller, { subject: 'scores' })).toEqual(left)
  expect(await stepsOf(caller, { query: 'name=r' })).toEqual({ count: 4, leavesOutDeleted: false })
  // Beside what was deleted nothing is left out.
  expect(await stepsOf(caller, { by: 'user', fromMs: DAY_MS })).toEqual({
    count: 0,
    leavesOutDeleted: false,
  })
})

test('figures that were kept without a property are left out of a split by it', async () => {
  const caller = await recordSome(3, () => ({}))
  await made.domain.retention.set(caller, RULES)
  await clean()
  // As a version would leave them that does not know the property.
  await sql`DELETE FROM kept_rollups WHERE project_id = ${caller.projectId} AND dimension = 'name'`.execute(
    made.db,
  )
  expect(await stepsOf(caller, { by: 'name' })).toEqual({ count: 0, leavesOutDeleted: true })
  expect(await stepsOf(caller)).toEqual({ count: 3, leavesOutDeleted: false })
})

test('what is deleted by hand, and with a person, leaves no figures', async () => {
  const caller = await recordSome(2, (index) => ({ threadId: `t${index}` }))
  await made.domain.retention.set(caller, RULES)
  await made.domain.threads.delete(caller, 't0')
  await clean()
  expect(await stepsOf(caller)).toEqual({ count: 1, leavesOutDeleted: false })
})

test('of more values in an hour than are told apart, the others are of the rest', async () => {
  const caller = await recordSome(250, (index) => ({ name: index < 40 ? 'often' : `n${index}` }))
  const question = { subject: 'steps', by: 'name' } as const
  const before = await ask(caller, question)
  await made.domain.retention.set(caller, RULES)
  await clean()
  const after = await ask(caller, question)
  expect(after.series[0]).toMatchObject({ key: 'often', total: { count: 40 } })
  expect(after.series.at(-1)).toMatchObject({ key: null, isRest: true })
  const total = ({ series }: Answer) => series.reduce((sum, { total }) => sum + total.count, 0)
  expect(total(after)).toBe(total(before))
  const kept = await sql<{ told: number }>`
    SELECT max(json_array_length(series)) AS told FROM kept_rollups WHERE project_id = ${caller.projectId}`.execute(
    made.db,
  )
  expect(kept.rows[0]?.told).toBe(200)
})

// Distributed tables have no triggers, by which the deletion fails here.
test.skipIf(process.env.STEPWELL_TEST_WORKERS)(
  'a deletion that fails keeps no figures of what stays',
  async () => {
    const caller = await recordSome(20, () => ({}))
    await made.domain.retention.set(caller, RULES)
    await sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`.execute(
      made.db,
    )
    await sql`CREATE TRIGGER refuse BEFORE DELETE ON steps EXECUTE FUNCTION refuse()`.execute(
      made.db,
    )
    try {
      await expect(clean()).rejects.toThrow('refused')
      expect(await stepsOf(caller)).toEqual({ count: 20, leavesOutDeleted: false })
    } finally {
      await sql`DROP TRIGGER refuse ON steps`.execute(made.db)
    }
    await clean()
    expect(await stepsOf(caller)).toEqual({ count: 20, leavesOutDeleted: false })
    expect(await countOf('steps', caller)).toBe(0)
  },
)

test('two processes keep each figure once', async () => {
  const caller = await recordSome(300, (index) =>
    index % 3 === 0 ? {} : { threadId: `t${index % 40}` },
  )
  await made.domain.retention.set(caller, RULES)
  await Promise.all([clean(newCleaner(5)), clean(newCleaner(7))])
  await clean()
  expect(await countOf('steps', caller)).toBe(0)
  expect(await stepsOf(caller)).toEqual({ count: 300, leavesOutDeleted: false })
})

test('a deleted project leaves no figures', async () => {
  const caller = await recordSome(5, () => ({}))
  await made.domain.retention.set(caller, RULES)
  await clean()
  expect(await countOf('kept_rollups', caller)).toBeGreaterThan(0)
  await made.domain.projects.delete(caller.projectId)
  expect(await countOf('kept_rollups', caller)).toBe(0)
})
