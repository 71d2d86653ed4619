import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, type Sql, select, sql } from '../../database/rows/sql.js'
import { c, i, s, t } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import type { Position } from '../../lists/cursor.js'
import type { RetentionException } from './rules.js'

/** The moments before which data of an environment is due; environments that are missing keep theirs. */
export type DueBefore = Readonly<Record<string, Instant>>

/** The expression of the index `threads_activity`. */
const activity = cast('timestamptz', sql`coalesce(${t.lastActivityAt}, ${t.createdAt})`)
/** The expression of the index `steps_alone`. */
const start = cast('timestamptz', sql`coalesce(${s.startTime}, ${s.createdAt})`)

const dueBefore = (environment: Sql, moments: DueBefore) =>
  sql`CASE coalesce(${environment}, 'prod') ${sql.join(
    Object.entries(moments).map(
      ([name, moment]) => sql`WHEN ${name}::text THEN ${moment}::timestamptz`,
    ),
    sql` `,
  )} END`

/** Returns the latest moment before which anything is due: the beginning of a list may be, and the rest is not. */
const latest = (moments: DueBefore): Instant => Object.values(moments).sort().at(-1) as Instant

/**
 * Holds for threads whose last activity is due, and that arrived before that moment too: what is recorded, or imported,
 * today with moments of last year is as new as anything else of today.
 */
const isDueThread = (moments: DueBefore) =>
  cast(
    'boolean',
    sql`coalesce(greatest(${activity}, ${t.createdAt}) < ${dueBefore(t.environment, moments)}, false)`,
  )

/** The latest moment of a step: of its arrival, start or end. */
const latestOfStep = sql`greatest(${start}, ${s.createdAt}, ${s.endTime})`

const isDueStep = (moments: DueBefore) =>
  cast('boolean', sql`coalesce(${latestOfStep} < ${dueBefore(s.environment, moments)}, false)`)

const threadColumns = (moments: DueBefore) =>
  select({
    ...pick(t, 'id', 'stepCount'),
    key: cast('text', activity),
    isDue: isDueThread(moments),
  })
type ThreadInOrder = RowOf<ReturnType<typeof threadColumns>>

/** Returns the next threads in the order of their last activity, up to the latest moment that is due. */
export const findThreadsByAge = async (
  db: Database,
  projectId: string,
  moments: DueBefore,
  after: Position | undefined,
  most: number,
): Promise<ThreadInOrder[]> => {
  const from =
    after === undefined
      ? sql``
      : sql`AND (${activity}, ${t.id}) > (${after.key}::timestamptz, ${after.id}::text)`
  const { rows } = await sql`
    SELECT ${threadColumns(moments)} FROM threads t
    WHERE t.project_id = ${projectId} AND ${activity} < ${latest(moments)}::timestamptz ${from}
    ORDER BY ${activity}, t.id LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}

const stepColumns = (moments: DueBefore) =>
  select({ ...pick(s, 'id'), key: cast('text', start), isDue: isDueStep(moments) })
type StepInOrder = RowOf<ReturnType<typeof stepColumns>>

/** Returns the next steps that are in no thread, in the order of their starts, up to the latest moment that is due. */
export const findStepsByAge = async (
  db: Database,
  projectId: string,
  moments: DueBefore,
  after: Position | undefined,
  most: number,
): Promise<StepInOrder[]> => {
  const from =
    after === undefined
      ? sql``
      : sql`AND (${start}, ${s.id}) > (${after.key}::timestamptz, ${after.id}::text)`
  const { rows } = await sql`
    SELECT ${stepColumns(moments)} FROM steps s
    WHERE s.project_id = ${projectId} AND s.thread_id IS NULL
      AND ${start} < ${latest(moments)}::timestamptz ${from}
    ORDER BY ${start}, s.id LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}

/**
 * Locks those of some threads that are due until the transaction ends. Their traces come first, as requests with spans lock
 * them in this order too. The locks are statements that change nothing: rows that are on many workers cannot be locked by
 * `FOR UPDATE`.
 */
export const lockDueThreads = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  moments: DueBefore,
): Promise<string[]> => {
  await sql`
    UPDATE traces n SET thread_id = n.thread_id
    WHERE n.project_id = ${projectId} AND n.thread_id = ANY(${ids}::text[])`.execute(db)
  const { rows: locked } = await sql`
    UPDATE threads t SET environment = t.environment
    WHERE t.project_id = ${projectId} AND t.id = ANY(${ids}::text[]) AND ${isDueThread(moments)}
    RETURNING ${select(pick(t, 'id', 'environment'))}`.execute(db)
  // The last activity is of the sums, which may be behind.
  const newest = select({
    id: s.threadId.narrow<string>(),
    at: cast('timestamptz', sql`max(${latestOfStep})`),
  })
  const { rows } = await sql`
    SELECT ${newest} FROM steps s
    WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${locked.map(({ id }) => id)}::text[])
    GROUP BY s.thread_id`.execute(db)
  const moved = new Map(rows.map(({ id, at }) => [id, at]))
  return locked
    .filter(({ id, environment }) => (moved.get(id) ?? '') < (moments[environment ?? 'prod'] ?? ''))
    .map(({ id }) => id)
}

/** Locks those of some steps that are in no thread until the transaction ends, in the same way. Returns their ids. */
export const lockStepsAlone = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql`
    UPDATE steps s SET environment = s.environment
    WHERE s.project_id = ${projectId} AND s.id = ANY(${[...ids]}::text[]) AND s.thread_id IS NULL
    RETURNING ${select(pick(s, 'id'))}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns the steps of some threads, up to a number. Nobody changes them while the threads are locked. */
export const findStepsOfThreads = async (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
  most?: number,
): Promise<string[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(s, 'id'))} FROM steps s
    WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${[...threadIds]}::text[])
    ${most === undefined ? sql`` : sql`LIMIT ${sql.lit(most)}`}`.execute(db)
  return rows.map(({ id }) => id)
}

const EXCEPTIONS: Record<
  RetentionException,
  (steps: Sql, projectId: string) => Sql<{ id: string }>
> = {
  scored: (steps, projectId) => sql`
    SELECT DISTINCT ${select({ id: c.stepId.narrow<string>() })} FROM scores c
    WHERE c.project_id = ${projectId} AND c.step_id IN (${steps})`,
  scoredByPeople: (steps, projectId) => sql`
    SELECT DISTINCT ${select({ id: c.stepId.narrow<string>() })} FROM scores c
    WHERE c.project_id = ${projectId} AND c.type = 'HUMAN' AND c.step_id IN (${steps})`,
  inDataset: (steps, projectId) => sql`
    SELECT DISTINCT ${select({ id: i.stepId.narrow<string>() })} FROM dataset_items i
    WHERE i.project_id = ${projectId} AND i.step_id IN (${steps})`,
}

const idsOf = async (db: Database, statement: Sql): Promise<string[]> => {
  const { rows } = await sql`${statement}`.execute(db)
  return (rows as { id: string }[]).map(({ id }) => id)
}

/** Returns the steps, of those that a statement finds, for which one of the exceptions holds. */
const findExcepted = async (
  db: Database,
  projectId: string,
  steps: Sql,
  keep: readonly RetentionException[],
): Promise<string[]> => {
  const found = []
  for (const exception of keep)
    found.push(...(await idsOf(db, EXCEPTIONS[exception](steps, projectId))))
  return found
}

/** Returns those of some threads that stay: by their own scores, or by one of their steps. */
export const findKeptThreads = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  keep: readonly RetentionException[],
): Promise<Set<string>> => {
  if (keep.length === 0 || ids.length === 0) return new Set()
  const steps = sql`SELECT s.id FROM steps s WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${ids}::text[])`
  const excepted = await findExcepted(db, projectId, steps, keep)
  const byStep = await idsOf(
    db,
    sql`SELECT DISTINCT ${select({ id: s.threadId.narrow<string>() })} FROM steps s
      WHERE s.project_id = ${projectId} AND s.id = ANY(${excepted}::text[]) AND s.thread_id IS NOT NULL`,
  )
  const isScored = keep.includes('scored') || keep.includes('scoredByPeople')
  const people = keep.includes('scored') ? sql`` : sql`AND c.type = 'HUMAN'`
  const byScore = isScored
    ? await idsOf(
        db,
        sql`SELECT DISTINCT ${select({ id: c.threadId.narrow<string>() })} FROM scores c
          WHERE c.project_id = ${projectId} AND c.thread_id = ANY(${ids}::text[]) ${people}`,
      )
    : []
  return new Set([...byStep, ...byScore])
}

const run = cast('text', sql`coalesce(${s.rootRunId}, ${s.id})`)

/** Returns those of some steps without a thread that are due, and in no run that stays because of one of its steps. */
export const findDueSteps = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  moments: DueBefore,
  keep: readonly RetentionException[],
): Promise<string[]> => {
  const { rows } = await sql`
    SELECT ${select({ id: s.id, run })} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[]) AND s.thread_id IS NULL
      AND ${isDueStep(moments)}`.execute(db)
  if (keep.length === 0 || rows.length === 0) return rows.map(({ id }) => id)
  const runs = [...new Set(rows.map(({ run }) => run))]
  const isOfRun = sql`(s.root_run_id = ANY(${runs}::text[]) OR s.id = ANY(${runs}::text[]))`
  const steps = sql`SELECT s.id FROM steps s WHERE s.project_id = ${projectId} AND ${isOfRun}`
  const excepted = await findExcepted(db, projectId, steps, keep)
  const kept = await sql`
    SELECT DISTINCT ${select({ run })} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${excepted}::text[])`.execute(db)
  const isKept = new Set(kept.rows.map(({ run }) => run))
  return rows.filter(({ run }) => !isKept.has(run)).map(({ id }) => id)
}
