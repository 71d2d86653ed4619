import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { StepInput } from '../../generated/resolvers.js'
import { type Database, openDatabase } from '../../src/database/database.js'
import { createDomain, type Domain } from '../../src/domain/domain.js'
import type { Caller } from '../../src/kernel/caller.js'
import { createClock } from '../../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../../src/kernel/limits.js'
import { newDatabase } from '../support/new-database.js'

// Steps with thousands of scores and attachments, which are stored in parts.
let db: Database
let domain: Domain
/** Called after each commit. */
let committed: (steps: number) => void
let reported: unknown[]
let close: () => Promise<void>
beforeEach(async () => {
  committed = () => undefined
  reported = []
  const { location, drop } = await newDatabase()
  db = await openDatabase(location)
  domain = createDomain(db, createClock(), DEFAULT_LIMITS, {
    writers: 1,
    commitMs: 60_000,
    report: (error) => reported.push(error),
    wrote: (steps) => committed(steps),
    places: { database: 'embedded', databasePlace: null, files: 'folder', filesPlace: null },
  })
  close = async () => {
    await domain.ingestion.idle()
    await db.destroy()
    await drop()
  }
})
afterEach(() => close())

const callerOf = (projectId: string) =>
  ({ projectId, environment: 'prod', scopes: ['admin'] }) as unknown as Caller
const [caller, other] = [callerOf('p'), callerOf('q')]

const scores = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => ({
    name: `s ${n}`,
    type: 'AI' as const,
    value: n,
    ...more,
  }))
const store = async (step: StepInput, by = caller) =>
  (await domain.steps.ingest(by, [step]))[0]?.refusal

const countOf = async (table: 'scores' | 'attachments' | 'steps'): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::int AS n FROM ${sql.ref(table)} WHERE project_id = 'p'`.execute(db)
  return rows[0]?.n ?? -1
}

test('a step with 20,000 scores and attachments is stored whole, and delays a step of another project by a share of a commit', async () => {
  const attachments = Array.from({ length: 2000 }, (_, n) => ({ id: `file ${n}`, name: 'f' }))
  let [steps, commits, commitsBefore] = [0, 0, 0]
  committed = (count) => {
    steps += count
    commits++
  }
  const big = store({ id: 'big', name: 'whole', scores: scores(20_000), attachments })
  const small = store({ id: 'small' }, other).then((outcome) => {
    commitsBefore = commits
    return outcome
  })
  expect(await Promise.race([big.then(() => 'big'), small.then(() => 'small')])).toBe('small')
  expect([await big, await small]).toEqual([null, null])
  expect(commitsBefore).toBe(1)
  expect(steps).toBe(2)
  expect([await countOf('scores'), await countOf('attachments')]).toEqual([20_000, 2000])
  // The same again changes nothing: scores without an id are found by their names.
  await store({ id: 'big', scores: scores(20_000, { comment: 'again' }), attachments })
  const found = await sql<{ n: number; least: number; most: number }>`
    SELECT count(DISTINCT value)::int AS n, min(value) AS least, max(value) AS most
    FROM scores WHERE step_id = 'big' AND comment = 'again'`.execute(db)
  expect(found.rows).toEqual([{ n: 20_000, least: 0, most: 19_999 }])
  expect([await countOf('scores'), await countOf('attachments')]).toEqual([20_000, 2000])
})

test('a step that is deleted while its scores are stored stays deleted, and leaves none of them', async () => {
  let deleting: Promise<unknown> | undefined
  const deleteOnceStored = async () => {
    // The first commit may have parts of other steps alone.
    while ((await countOf('steps')) === 0);
    return domain.steps.delete(caller, 'big')
  }
  committed = () => {
    deleting ??= deleteOnceStored()
  }
  const outcomes = [
    store({ id: 'big', name: 'n', scores: scores(10_000) }),
    // Shares the commits, so that each has a part of the scores.
    ...Array.from({ length: 9 }, (_, n) => store({ id: `q${n}`, scores: scores(1000) }, other)),
  ]
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set([null]))
  expect(await deleting).toEqual({ id: 'big' })
  expect([await countOf('steps'), await countOf('scores')]).toEqual([0, 0])
})

test('a score that is recorded later, while earlier ones of its step are stored, is not overwritten by them', async () => {
  const session = { sessionId: 'a session' }
  const early = scores(5000).map((score, n) => ({ ...score, id: `id ${n}` }))
  const late = { ...early[4999], value: -1 } as (typeof early)[number]
  const outcomes = [
    store({ ...session, id: 'big', sequence: 2, scores: [late] }),
    store({ ...session, id: 'big', sequence: 1, scores: early }),
  ]
  expect(await Promise.all(outcomes)).toEqual([null, null])
  const { rows } = await sql`
    SELECT count(*)::int AS n, sum(value) AS sum FROM scores WHERE project_id = 'p'`.execute(db)
  expect(rows).toEqual([{ n: 5000, sum: (4998 * 4999) / 2 - 1 }])
})

test('a step whose last score cannot be stored is refused as a whole, and others are not', async () => {
  await sql`ALTER TABLE scores ADD CONSTRAINT sound CHECK (name <> 'broken')`.execute(db)
  const broken = [...scores(3000), { name: 'broken', type: 'AI' as const, value: 1 }]
  const outcomes = await Promise.all([
    store({ id: 'bad', scores: broken }),
    store({ id: 'good', scores: scores(3000) }),
    store({ id: 'bad first', scores: broken.toReversed() }),
  ])
  expect(outcomes).toMatchObject([{ code: 'UNAVAILABLE' }, null, { code: 'UNAVAILABLE' }])
  expect(reported).not.toEqual([])
  const { rows } = await sql`
    SELECT step_id AS id, count(*)::int AS n FROM scores GROUP BY step_id ORDER BY step_id`.execute(
    db,
  )
  // Nothing is stored behind a part that was refused.
  expect(rows).toEqual([
    { id: 'bad', n: expect.any(Number) },
    { id: 'good', n: 3000 },
  ])
})

test('createScores stores all of many scores or none, while steps of others are stored in between', async () => {
  await sql`ALTER TABLE scores ADD CONSTRAINT sound CHECK (name <> 'broken')`.execute(db)
  const given = scores(5000, { stepId: 's' })
  const broken = { name: 'broken', type: 'AI' as const, value: 1, stepId: 's' }
  await expect(domain.scores.createAll(caller, [...given, broken])).rejects.toThrow('sound')
  expect(await countOf('scores')).toBe(0)
  const all = domain.scores.createAll(caller, given)
  const small = store({ id: 'small' }, other)
  expect(await Promise.race([all.then(() => 'all'), small.then(() => 'small')])).toBe('small')
  expect((await all).map(({ value }) => value)).toEqual(given.map(({ value }) => value))
  expect(await countOf('scores')).toBe(5000)
})
