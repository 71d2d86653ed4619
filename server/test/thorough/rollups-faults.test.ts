import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from '../../src/database/database.js'
import { Metrics } from '../../src/domain/metrics/metrics.js'
import { Rollups } from '../../src/domain/rollups/rollups.js'
import type { Caller } from '../../src/kernel/caller.js'
import { DEFAULT_LIMITS } from '../../src/kernel/limits.js'
import type { Filter } from '../../src/lists/conditions.js'
import type { PageRequest } from '../../src/lists/page.js'
import { compareCounts } from '../support/compare-counts.js'
import { compareRollups, type Question } from '../support/compare-rollups.js'
import { useDomain } from '../support/new-domain.js'
import { countOf, settle } from '../support/settle.js'
import { replaced } from '../support/watched.js'

const made = useDomain()
const isOnServer = Boolean(process.env.STEPWELL_TEST_DATABASE)

const RULES = {
  fewestRows: 1,
  quietSeconds: { 60: 0, 600: 0, 3600: 0, 21600: 0, 86400: 0 },
  restFactor: 0,
}
const HOUR_MS = 3_600_000
const BEGIN_MS = Date.parse('2026-05-01T00:00:00Z')

const callerOf = (projectId: string) =>
  ({ projectId, environment: 'prod', scopes: ['admin'] }) as unknown as Caller

const stepsOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    id: `s${from + index}`,
    threadId: `t${index % 7}`,
    type: 'run',
    name: `step ${index % 3}`,
    startTime: new Date(BEGIN_MS + (from + index) * 97_000).toISOString(),
    endTime: new Date(BEGIN_MS + (from + index) * 97_000 + index).toISOString(),
  })) as never[]

const whole: Question = {
  subject: 'steps',
  by: 'name',
  fromMs: BEGIN_MS,
  toMs: BEGIN_MS + 12 * HOUR_MS,
  buckets: 12,
  environment: null,
  excludeExperiments: false,
}

/** Its buckets are read from minutes, and not from longer spans. */
const minutes: Question = { ...whole, buckets: 12 * 60 }

const count = (table: string, projectId: string) => countOf(made.db, table, projectId)

/** The database of a process that is killed after some statements. */
const endingAfter = (statements: number) => {
  let left = statements
  return made.db.withPlugin({
    transformQuery: ({ node }) => {
      if (left-- <= 0) throw new Error('the process was killed')
      return node
    },
    transformResult: async ({ result }) => result,
  })
}

test('a transaction that ends half-way leaves its marks, and nothing measured', async () => {
  const caller = callerOf('half')
  await made.domain.steps.ingest(caller, stepsOf(100))
  const marks = await count('rollup_marks', 'half')
  expect(marks).toBeGreaterThan(0)
  for (let statements = 4; statements < 9; statements++) {
    await expect(settle(new Rollups(endingAfter(statements), RULES))).rejects.toThrow('killed')
    expect(await count('rollups', 'half')).toBe(0)
    expect(await count('rollup_marks', 'half')).toBe(marks)
  }
  await settle(new Rollups(made.db, RULES))
  expect(await count('rollup_marks', 'half')).toBe(0)
  expect(await compareRollups(made.db, 'half', whole)).toBe(true)
})

const DENSE = 90
/** Measures a minute by several statements, which are not one transaction. */
const DENSE_RULES = { ...RULES, portionRows: 20 }
/** One minute with several portions, two of which have rows of one moment. */
const denseMinute = () =>
  stepsOf(DENSE).map((step, index) => ({
    ...(step as object),
    name: `step ${index % 3}`,
    startTime: new Date(BEGIN_MS + Math.max(0, index - 50) * 100).toISOString(),
    endTime: new Date(BEGIN_MS + 10_000 + index).toISOString(),
  })) as never[]

/** The database of a process beside which something happens once some portions are read, and before it goes on. */
const interruptedAfter = (portions: number, happens: () => Promise<unknown>): Database => {
  let seen = 0
  const executor = made.db.getExecutor()
  const executeQuery: typeof executor.executeQuery = async (query) => {
    const result = await executor.executeQuery<never>(query)
    const isPortion = query.sql.includes('MATERIALIZED') && !query.sql.includes('INSERT')
    if (isPortion && ++seen === portions) await happens()
    return result
  }
  return replaced(made.db, { getExecutor: () => replaced(executor, { executeQuery }) })
}

test('a dense minute whose measuring ends half-way stays marked, and is then measured', async () => {
  const caller = callerOf('dense half')
  await made.domain.steps.ingest(caller, denseMinute())
  let wasKilled = true
  for (let statements = 1; wasKilled; statements++) {
    wasKilled = await settle(new Rollups(endingAfter(statements), DENSE_RULES)).then(
      () => false,
      () => true,
    )
    expect((await count('rollup_marks', 'dense half')) > 0).toBe(wasKilled)
    expect(await compareRollups(made.db, 'dense half', { ...whole, mostRows: DENSE })).toBe(
      (await count('rollups', 'dense half')) > 0,
    )
  }
  expect(await compareRollups(made.db, 'dense half', { ...whole, mostRows: 0 })).toBe(true)
})

/** Changes steps of all portions of the dense minute: one gets another name, one leaves, one is deleted, one comes. */
const changeDense = async (caller: Caller) => {
  const { steps } = made.domain
  const startTime = new Date(BEGIN_MS + 3 * HOUR_MS).toISOString()
  await steps.ingest(caller, [
    { id: 's0', name: 'step 2' },
    { id: 's60', startTime, endTime: startTime },
    { id: 's1000', startTime: new Date(BEGIN_MS + 2000).toISOString() },
  ] as never[])
  await steps.delete(caller, 's85')
}

test.each([1, 2, 3, 4])(
  'what is written after %i portions of a dense minute were read is not missed',
  async (portions) => {
    const caller = callerOf(`dense ${portions}`)
    await made.domain.steps.ingest(caller, denseMinute())
    let isChanged = false
    const db = interruptedAfter(portions, async () => {
      await changeDense(caller)
      isChanged = true
    })
    const rollups = new Rollups(db, DENSE_RULES)
    while (!isChanged) await rollups.work()
    // Compares what is measured and what is marked at this moment, however much that is.
    await compareRollups(made.db, caller.projectId, minutes)
    await settle(new Rollups(made.db, DENSE_RULES))
    expect(await compareRollups(made.db, caller.projectId, { ...minutes, mostRows: 0 })).toBe(true)
  },
)

test('a dense minute that another process has measured meanwhile keeps that measurement', async () => {
  const caller = callerOf('dense two')
  await made.domain.steps.ingest(caller, denseMinute())
  const db = interruptedAfter(2, async () => {
    await changeDense(caller)
    await settle(new Rollups(made.db, DENSE_RULES))
  })
  await settle(new Rollups(db, DENSE_RULES))
  expect(await count('rollup_marks', 'dense two')).toBe(0)
  expect(await compareRollups(made.db, 'dense two', { ...minutes, mostRows: 0 })).toBe(true)
})

test('nothing measured stays of a project that is deleted while a dense minute of it is read', async () => {
  const { projectId } = await made.domain.projects.create('dense and doomed')
  await made.domain.steps.ingest(callerOf(projectId), denseMinute())
  const db = interruptedAfter(2, () => made.domain.projects.delete(projectId))
  await settle(new Rollups(db, DENSE_RULES))
  expect(await count('rollups', projectId)).toBe(0)
  expect(await count('rollup_marks', projectId)).toBe(0)
})

test('a property whose values are too many in all portions together is measured from rows', async () => {
  const steps = Array.from({ length: 400 }, (_, index) => ({
    id: `s${index}`,
    name: `name ${Math.floor(index / 1.6)}`,
    startTime: new Date(BEGIN_MS + index).toISOString(),
  })) as never[]
  await made.domain.steps.ingest(callerOf('dense wide'), steps)
  await settle(new Rollups(made.db, DENSE_RULES))
  expect(await compareRollups(made.db, 'dense wide', whole)).toBe(false)
  const whatever = { ...whole, by: undefined, mostRows: 0 }
  expect(await compareRollups(made.db, 'dense wide', whatever)).toBe(true)
})

test('a dense minute rests after it was measured, while others are measured, and is then measured again', async () => {
  const caller = callerOf('dense rest')
  const at = (minute: number) => new Date(BEGIN_MS + minute * 60_000).toISOString()
  const change = async (name: string) =>
    made.domain.steps.ingest(caller, [
      { id: 's1', name },
      { id: 'other', name, startTime: at(1), endTime: at(1) },
    ] as never[])
  const marks = async () => {
    const { rows } = await sql<{ start: Date }>`
      SELECT DISTINCT start FROM rollup_marks WHERE project_id = 'dense rest' AND seconds = 60 ORDER BY 1`.execute(
      made.db,
    )
    return rows.map(({ start }) => new Date(start).toISOString())
  }
  await made.domain.steps.ingest(caller, denseMinute())
  const forLong = new Rollups(made.db, { ...DENSE_RULES, restFactor: 1e6 })
  await settle(forLong)
  expect(await marks()).toEqual([])
  await change('step 1')
  expect(await marks()).toEqual([at(0), at(1)])
  await settle(forLong)
  expect(await marks()).toEqual([at(0)])
  expect(await compareRollups(made.db, 'dense rest', { ...minutes, mostRows: DENSE })).toBe(true)
  const forAMoment = new Rollups(made.db, { ...DENSE_RULES, restFactor: 1 })
  await settle(forAMoment)
  await change('step 2')
  await expect
    .poll(async () => {
      await settle(forAMoment)
      return marks()
    })
    .toEqual([])
  expect(await compareRollups(made.db, 'dense rest', { ...minutes, mostRows: 0 })).toBe(true)
})

test('others get their turn between any two portions of a dense minute', async () => {
  await made.domain.steps.ingest(callerOf('dense turns'), denseMinute())
  let turns = 0
  let isMeasuring = true
  const working = settle(new Rollups(made.db, { ...RULES, portionRows: 2 })).then(() => {
    isMeasuring = false
  })
  while (isMeasuring) {
    await made.db.transaction().execute((db) => sql`SELECT 1`.execute(db))
    turns++
  }
  await working
  // A transaction of all would let two or three others in.
  expect(turns).toBeGreaterThan(DENSE / 2)
})

test.runIf(isOnServer)('two processes measure while requests write, and miss nothing', async () => {
  const caller = callerOf('two')
  let isWriting = true
  const work = async (rollups: Rollups) => {
    while (isWriting) await rollups.work()
  }
  const working = [0, 1].map(() => work(new Rollups(made.db, RULES)))
  const write = async (writer: number) => {
    for (let round = 0; round < 15; round++) {
      await made.domain.steps.ingest(caller, stepsOf(20, (writer * 15 + round) * 10))
      if (round % 4 === 3) await made.domain.steps.delete(caller, `s${writer * 150 + round}`)
    }
  }
  await Promise.all([0, 1].map(write))
  isWriting = false
  await Promise.all(working)
  expect(await compareRollups(made.db, 'two', whole)).toBe(true)
  await settle(new Rollups(made.db, RULES))
  expect(await count('rollup_marks', 'two')).toBe(0)
  expect(await compareRollups(made.db, 'two', whole)).toBe(true)
})

test.runIf(isOnServer)(
  'a write that commits after its spans were measured is not missed',
  async () => {
    const rollups = new Rollups(made.db, RULES)
    await made.domain.steps.ingest(callerOf('late'), stepsOf(50))
    let wrote: () => void = () => undefined
    let finish: () => void = () => undefined
    const written = new Promise<void>((resolve) => {
      wrote = resolve
    })
    const measured = new Promise<void>((resolve) => {
      finish = resolve
    })
    const later = new Date(BEGIN_MS + HOUR_MS)
    const writing = made.db.transaction().execute(async (transaction) => {
      await sql`UPDATE steps SET error = 'late', start_time = ${later}
        WHERE project_id = 'late' AND id IN ('s1', 's2')`.execute(transaction)
      wrote()
      await measured
    })
    await Promise.race([written, writing])
    await settle(rollups)
    expect(await count('rollup_marks', 'late')).toBe(0)
    expect(await compareRollups(made.db, 'late', whole)).toBe(true)
    finish()
    await writing
    expect(await compareRollups(made.db, 'late', whole)).toBe(true)
    await settle(rollups)
    expect(await compareRollups(made.db, 'late', whole)).toBe(true)
  },
)

test('rows from before there were marks are measured, an hour after the other, also after an interruption', async () => {
  await made.domain.steps.ingest(callerOf('before'), stepsOf(200))
  await sql`DELETE FROM rollup_marks WHERE project_id = 'before'`.execute(made.db)
  await sql`INSERT INTO rollup_fills (project_id, source) VALUES ('before', 'steps')`.execute(
    made.db,
  )
  expect(await compareRollups(made.db, 'before', whole)).toBe(false)
  const reached = async () => {
    const { rows } = await sql<{ reached: string | null }>`
      SELECT reached FROM rollup_fills WHERE project_id = 'before'`.execute(made.db)
    return rows[0]?.reached
  }
  for (let statements = 1; (await reached()) === null; statements++)
    await settle(new Rollups(endingAfter(statements), RULES)).catch(() => undefined)
  expect(await reached()).toBeDefined()
  expect(await compareRollups(made.db, 'before', whole)).toBe(true)
  await settle(new Rollups(made.db, RULES))
  expect(await count('rollup_fills', 'before')).toBe(0)
  expect(await compareRollups(made.db, 'before', whole)).toBe(true)
})

test('nothing measured stays of a deleted project', async () => {
  const { projectId } = await made.domain.projects.create('doomed')
  await made.domain.steps.ingest(callerOf(projectId), stepsOf(30))
  const rollups = new Rollups(made.db, RULES)
  await settle(rollups)
  expect(await count('rollups', projectId)).toBeGreaterThan(0)
  await made.domain.projects.delete(projectId)
  expect(await count('rollups', projectId)).toBe(0)
  await settle(rollups)
  expect(await count('rollups', projectId)).toBe(0)
  expect(await count('rollup_marks', projectId)).toBe(0)
})

test('a span with more values than are kept is measured from its rows', async () => {
  const caller = callerOf('wide')
  const steps = Array.from({ length: 230 }, (_, index) => ({
    id: `s${index}`,
    name: `name ${index % 220}`,
    startTime: new Date(BEGIN_MS + index).toISOString(),
  })) as never[]
  await made.domain.steps.ingest(caller, steps)
  await settle(new Rollups(made.db, RULES))
  expect(await compareRollups(made.db, 'wide', whole)).toBe(false)
  expect(await compareRollups(made.db, 'wide', { ...whole, by: undefined })).toBe(true)
})

test.each([60, 600, 3600, 21_600, 86_400])(
  'a range of whole spans of %i s is answered without reading a row, also when they come from shorter ones',
  async (seconds) => {
    for (const mergedRows of [1, 20_000]) {
      const projectId = `whole ${seconds} ${mergedRows}`
      await made.domain.steps.ingest(callerOf(projectId), stepsOf(60))
      await settle(new Rollups(made.db, { ...RULES, mergedRows }))
      await sql`DELETE FROM rollups WHERE project_id = ${projectId} AND seconds <> ${seconds}`.execute(
        made.db,
      )
      const range = { fromMs: BEGIN_MS, toMs: BEGIN_MS + 86_400_000, buckets: 86_400 / seconds }
      const question = { ...whole, ...range, mostRows: 0 }
      expect(await compareRollups(made.db, projectId, question)).toBe(true)
    }
  },
)

test('what shorter spans leave out is in the longer ones that are put together from them', async () => {
  const startsAt = (minute: number, index: number) => ({
    id: `m${minute} ${index}`,
    type: index === 0 ? 'llm' : 'run',
    name: `step ${index}`,
    startTime: new Date(BEGIN_MS + minute * 60_000 + index).toISOString(),
    endTime: new Date(BEGIN_MS + minute * 60_000 + 100 * index).toISOString(),
  })
  const minutes = [0, 0, 0, 1, 15, 31, 31, 31, 31, 59, 90, 600]
  const steps = minutes.map((minute, index) => startsAt(minute, index)) as never[]
  await made.domain.steps.ingest(callerOf('gaps'), steps)
  await settle(new Rollups(made.db, { ...RULES, fewestRows: 3, mergedRows: 1 }))
  const inMinutes = await sql<{ start: Date }>`
    SELECT start FROM rollups WHERE project_id = 'gaps' AND subject = 'steps' AND dimension = 'none'
      AND seconds = 60`.execute(made.db)
  expect(inMinutes.rows).toHaveLength(2)
  const asked = { ...whole, fromMs: BEGIN_MS, toMs: BEGIN_MS + 86_400_000, mostRows: 0 }
  // Buckets of an hour are read from hours, one of a day from days.
  for (const buckets of [24, 1])
    expect(await compareRollups(made.db, 'gaps', { ...asked, buckets })).toBe(true)
})

test('a query of one value is answered from its series, and other queries from rows', async () => {
  const caller = callerOf('queries')
  await made.domain.steps.ingest(caller, stepsOf(300))
  await settle(new Rollups(made.db, RULES))
  const { threads, pricer } = made.domain
  const metrics = new Metrics(made.db, { ...DEFAULT_LIMITS, searchRows: 20 }, threads, pricer)
  const counted = async (query: string, more = {}) => {
    const [from, to] = [BEGIN_MS, BEGIN_MS + 12 * HOUR_MS].map((ms) => new Date(ms).toISOString())
    const args = { subject: 'steps', from, to, buckets: 12, query, ...more } as never
    const { series } = await metrics.measure(caller, args)
    return series.map(({ key, total }) => [key, total.count])
  }
  expect(await counted('name="step 1"')).toEqual([[null, 100]])
  expect(await counted('name="step 1"', { by: 'name' })).toEqual([['step 1', 100]])
  expect(await counted('name="step 1"', { environment: 'dev' })).toEqual([])
  expect(await counted('name="step"')).toEqual([])
  for (const query of ['name~"step 1"', '-name="step 1"', 'name="step 1" type=run'])
    await expect(counted(query)).rejects.toThrow('the range has more than 20 rows')
  await expect(counted('name="step 1"', { by: 'type' })).rejects.toThrow('more than 20 rows')
})

test('a moment at the end of the calendar keeps no other from being measured', async () => {
  const last = { id: 'last', type: 'run', startTime: '9999-12-31T23:59:59.999Z' } as never
  await made.domain.steps.ingest(callerOf('calendar'), [last, ...stepsOf(40)])
  await settle(new Rollups(made.db, RULES))
  expect(await count('rollup_marks', 'calendar')).toBe(0)
  expect(await compareRollups(made.db, 'calendar', whole)).toBe(true)
})

test('a list of more rows than are counted one by one has its exact count, of all and of one value', async () => {
  const caller = callerOf('many')
  await sql`
    INSERT INTO steps (project_id, id, type, name, start_time, created_at, environment, ingested, has_generation)
    SELECT 'many', 'm' || i, 'run', 'step ' || i % 3, ${new Date(BEGIN_MS)}::timestamptz + make_interval(secs => i * 3), now(), 'prod', true, false
    FROM generate_series(1, 12000) AS i`.execute(made.db)
  const totalOf = async (query?: string, filters: Filter[] = []) => {
    const page = await made.domain.steps.list(caller, { first: 1, query, filters })
    return page.count()
  }
  await settle(new Rollups(made.db, RULES))
  expect(await totalOf()).toBe(12_000)
  expect(await totalOf('name="step 1"')).toBe(4000)
  const from = { field: 'startedAt', operator: 'gte', value: new Date(BEGIN_MS).toISOString() }
  expect(await totalOf('type=run', [from])).toBe(12_000)
  expect(await totalOf('type=llm', [from])).toBe(0)
  // Rows that changed since are counted too.
  await made.domain.steps.ingest(caller, [{ id: 'm1', name: 'other' }, ...stepsOf(5)] as never[])
  expect(await totalOf()).toBe(12_005)
  expect(await totalOf('name="step 1"')).toBe(4001)
})

test.each<[string, PageRequest]>([
  ['a part of a text', { query: 'name~"step 1"' }],
  ['two values', { query: 'name="step 1" type=run' }],
  ['a group', { query: '(name="step 1" or name="step 2")' }],
  ['the time of creation', { cursorAnchor: '2100-01-01T00:00:00Z' }],
  [
    'a bound that is left out',
    { filters: [{ field: 'startedAt', operator: 'gt', value: '2026-05-01T00:00:00Z' }] },
  ],
])('a count with %s is that of the rows', async (name, request) => {
  const caller = callerOf(`unknown ${name}`)
  await made.domain.steps.ingest(caller, stepsOf(30))
  await settle(new Rollups(made.db, RULES))
  expect(await compareCounts(made.db, caller.projectId, 'steps', {})).toBe(true)
  expect(await compareCounts(made.db, caller.projectId, 'steps', request)).toBe(false)
})
