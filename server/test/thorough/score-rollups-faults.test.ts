import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { MARK_STORED } from '../../src/database/migrations/measuring/0049-measured-scores.js'
import { measureScores } from '../../src/domain/metrics/scores.js'
import { Rollups } from '../../src/domain/rollups/rollups.js'
import { ScoreRollups } from '../../src/domain/rollups/scores/score-rollups.js'
import type { Caller } from '../../src/kernel/caller.js'
import { parseInstant } from '../../src/kernel/instant.js'
import type { Range } from '../../src/storage/metrics.js'
import { expectSameSeries } from '../support/compare-series.js'
import { useDomain } from '../support/new-domain.js'
import { countOf, settle } from '../support/settle.js'
import { watched } from '../support/watched.js'

const made = useDomain()
// Scores of a distributed database are read one by one: they lie elsewhere than what they are of.
const isDistributed = Boolean(process.env.STEPWELL_TEST_WORKERS)
const isOnServer = Boolean(process.env.STEPWELL_TEST_DATABASE)

const RULES = { fewestRows: 1, quietSeconds: { 600: 0, 3600: 0, 86400: 0 }, restFactor: 0 }
const BEGIN_MS = Date.parse('2026-05-01T00:00:00Z')
const DAY_MS = 86_400_000

const callerOf = (projectId: string) =>
  ({ projectId, environment: 'prod', scopes: ['admin'] }) as unknown as Caller

const SCORES = 30
/** A day of scores of one name, every 48 minutes, of steps with one of three models. Some steps are never recorded. */
const record = async (caller: Caller) => {
  const { projectId } = caller
  await made.domain.steps.ingest(
    caller,
    Array.from({ length: SCORES - 5 }, (_, at) => ({
      id: `${projectId} ${at}`,
      threadId: `${projectId} thread`,
      generation: { model: `model ${at % 3}` },
    })) as never[],
  )
  const scores = Array.from({ length: SCORES }, (_, at) => ({
    stepId: `${projectId} ${at}`,
    type: 'AI',
    name: 'quality',
    value: at,
  }))
  await made.domain.scores.createAll(caller, scores as never)
  await sql`
    UPDATE scores SET created_at = ${range.from}::timestamptz + value * ${DAY_MS / SCORES / 1000} * interval '1 second'
    WHERE project_id = ${projectId}`.execute(made.db)
}
const place = (id: string, ms: number) =>
  sql`UPDATE scores SET created_at = ${new Date(BEGIN_MS + ms).toISOString()}::timestamptz WHERE id = ${id}`.execute(
    made.db,
  )

const range: Range = {
  from: parseInstant('from', new Date(BEGIN_MS).toISOString()),
  to: parseInstant('to', new Date(BEGIN_MS + DAY_MS).toISOString()),
  bucketSeconds: 3600,
  environment: null,
  participantId: null,
  excludeExperiments: false,
}

/** Counts scores by model: from measured spans and at most some scores, or from all scores. */
const countByModel = async (projectId: string, mostRows: number, fewRows = -1) => {
  const series = await measureScores(
    made.db,
    projectId,
    range,
    { by: 'model' },
    { mostRows, fewRows, rowsPerGap: 0 },
  )
  return series.map(({ key, total, buckets }) => [
    key,
    total.count,
    // The order of additions decides the last digits.
    total.mean?.toPrecision(9),
    buckets.length,
  ])
}
const countAll = (projectId: string) => countByModel(projectId, 1e6, 1e6)

const count = (table: string, projectId: string) => countOf(made.db, table, projectId)

/** A process beside which something happens before each statement with a text, once. */
const beside = (text: string, happens: () => Promise<unknown>): ScoreRollups => {
  let isOver = false
  const db = watched(made.db, async (statement) => {
    if (isOver || !statement.includes(text)) return
    isOver = true
    await happens()
  })
  return new ScoreRollups(db, RULES)
}

test.skipIf(isDistributed)('whole spans are answered without reading a score', async () => {
  const caller = callerOf('whole')
  await record(caller)
  await settle(new ScoreRollups(made.db, RULES))
  expect(await countByModel('whole', 0)).toEqual(await countAll('whole'))
})

test.skipIf(isDistributed)(
  'a score that comes before its step is of the step afterwards',
  async () => {
    const caller = callerOf('early')
    await record(caller)
    const rollups = new ScoreRollups(made.db, RULES)
    await settle(rollups)
    const late = { id: `early ${SCORES - 1}`, generation: { model: 'late' } }
    await made.domain.steps.ingest(caller, [late as never])
    expect(await countByModel('early', 1e6)).toContainEqual([
      'late',
      1,
      (SCORES - 1).toPrecision(9),
      1,
    ])
    await settle(rollups)
    expect(await countByModel('early', 0)).toContainEqual([
      'late',
      1,
      (SCORES - 1).toPrecision(9),
      1,
    ])
  },
)

test.skipIf(isDistributed)('what is written while scores are read is not missed', async () => {
  const caller = callerOf('meanwhile')
  await record(caller)
  const rollups = beside('json_build_array', async () => {
    await made.domain.steps.ingest(caller, [
      { id: 'meanwhile 0', generation: { model: 'other' } },
    ] as never[])
  })
  await settle(rollups)
  expect(await countByModel('meanwhile', 0)).toContainEqual(['other', 1, (0).toPrecision(9), 1])
})

test.skipIf(isDistributed)('a span that is being measured counts from its scores', async () => {
  const caller = callerOf('held')
  await record(caller)
  const all = await countAll('held')
  let seen: unknown
  await settle(
    beside('json_build_array', async () => {
      seen = await countByModel('held', 1e6)
    }),
  )
  expect(seen).toEqual(all)
})

test.skipIf(isDistributed)(
  'nothing measured stays of a project that is deleted while its scores are read',
  async () => {
    const { projectId } = await made.domain.projects.create('scores and doomed')
    await record(callerOf(projectId))
    await settle(beside('json_build_array', () => made.domain.projects.delete(projectId)))
    while (
      await new Rollups(made.db, {
        quietSeconds: { ...RULES.quietSeconds, 60: 0, 21600: 0 },
      }).work()
    );
    expect(await count('rollups', projectId)).toBe(0)
    expect(await count('rollup_marks', projectId)).toBe(0)
  },
)

test.skipIf(isDistributed)(
  'a property with too many values is read from scores, and others are not',
  async () => {
    const caller = callerOf('wide')
    await record(caller)
    const steps = Array.from({ length: 600 }, (_, at) => ({
      id: `wide many ${at}`,
      metadata: { release: `release ${at}` },
      scores: [{ id: `wide score ${at}`, name: 'quality', type: 'AI', value: 1 }],
    }))
    await made.domain.steps.ingest(caller, steps as never[])
    await sql`UPDATE scores SET created_at = ${range.from}::timestamptz WHERE project_id = 'wide'`.execute(
      made.db,
    )
    await settle(new ScoreRollups(made.db, RULES))
    expect(await countByModel('wide', 0)).toEqual(await countAll('wide'))
    const byRelease = (mostRows: number, fewRows = -1) =>
      measureScores(made.db, 'wide', range, { by: 'release' }, { mostRows, fewRows, rowsPerGap: 0 })
    await expect(byRelease(0)).rejects.toThrow('more than 0 rows')
    expect(await byRelease(1e6)).toEqual(await byRelease(1e6, 1e6))
  },
)

test.skipIf(!isOnServer || isDistributed)(
  'a step of a transaction that looked for scores before one was stored is measured once it can be read',
  async () => {
    const caller = callerOf('race')
    await record(caller)
    await settle(new ScoreRollups(made.db, RULES))
    const writer = await made.db.startTransaction().execute()
    await sql`UPDATE steps SET gen_model = 'changed' WHERE id = 'race 0'`.execute(writer)
    // The writer has marked the scores of before, but cannot know of this one.
    const score = { stepId: 'race 0', type: 'AI', name: 'quality', value: 7 }
    const { id } = await made.domain.scores.create(caller, score as never)
    await place(id, DAY_MS - 1)
    const rollups = new ScoreRollups(made.db, RULES)
    // Each turn gives up, as the writer has not ended.
    await rollups.work()
    expect(await countByModel('race', 1e6)).toEqual(await countAll('race'))
    await writer.commit().execute()
    expect(await countByModel('race', 1e6)).toEqual(await countAll('race'))
    await settle(rollups)
    expect(await countByModel('race', 0)).toEqual(await countAll('race'))
  },
)

test.skipIf(isDistributed)(
  'each ten minutes that have scores from before there were marks are marked',
  async () => {
    for (const project of ['before one', 'before two', 'before none']) {
      const { projectId } = await made.domain.projects.create(project)
      if (project !== 'before none') await record(callerOf(projectId))
    }
    const marks = async () => {
      const { rows } = await sql<{ id: string; start: string; marks: number }>`
      SELECT project_id AS id, start::text AS start, count(*)::int AS marks FROM rollup_marks WHERE source = 'scores' AND seconds = 600
        AND project_id IN (SELECT id FROM projects) GROUP BY 1, 2 ORDER BY 1, 2`.execute(made.db)
      return rows
    }
    const before = await marks()
    await sql`DELETE FROM rollup_marks`.execute(made.db)
    await sql.raw(MARK_STORED).execute(made.db)
    const after = await marks()
    expect(after.map(({ marks }) => marks)).toEqual(after.map(() => 1))
    // Those of the moments at which the scores were created, before they got others, have none now.
    expect(before.length - after.length).toBeLessThanOrEqual(4)
    expect(after.length).toBe(2 * SCORES)
  },
)

test.skipIf(isDistributed).each([
  ['one name is', 1, 250],
  ['all names together are', 300, 190],
])('a span is read from its scores when %s too long to be kept', async (_, names, length) => {
  const projectId = `long ${names}`
  const scores = Array.from({ length: 300 }, (_, at) => ({
    stepId: `${projectId} ${at}`,
    type: 'AI',
    name: `${at % names} `.padEnd(length, 'n'),
    value: at,
  }))
  await made.domain.scores.createAll(callerOf(projectId), scores as never)
  await sql`UPDATE scores SET created_at = ${range.from}::timestamptz WHERE project_id = ${projectId}`.execute(
    made.db,
  )
  await settle(new ScoreRollups(made.db, RULES))
  expect(await count('rollups', projectId)).toBe(0)
  const byName = (fewRows: number) =>
    measureScores(
      made.db,
      projectId,
      range,
      { by: 'name' },
      { mostRows: 1e6, fewRows, rowsPerGap: 0 },
    )
  expectSameSeries(await byName(-1), await byName(1e6))
})

test.skipIf(isDistributed)(
  'a range with few scores for each gap is read from its scores',
  async () => {
    await record(callerOf('gaps'))
    await settle(new ScoreRollups(made.db, RULES))
    const asked = (rowsPerGap: number) =>
      measureScores(
        made.db,
        'gaps',
        { ...range, bucketSeconds: 1800 },
        { by: 'model' },
        { mostRows: SCORES, fewRows: -1, rowsPerGap },
      )
    await sql`UPDATE rollups SET series = '[]' WHERE project_id = 'gaps'`.execute(made.db)
    expect((await asked(0)).length).toBe(0)
    expect((await asked(SCORES)).reduce((sum, { total }) => sum + total.count, 0)).toBe(SCORES)
  },
)
