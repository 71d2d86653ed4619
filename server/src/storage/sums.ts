import type { Database } from '../database/database.js'
import { cast } from '../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../database/rows/sql.js'
import { s, t } from '../database/rows/tables.js'
import { findLastTools } from './conversations/last-tools.js'
import { findFirstErrors, findFirstMessages, findLastMessages } from './conversations/said.js'
import { counted, mayBeNested } from './ingestion/nested-calls.js'
import { isUnpriced, isWaiting } from './prices/costs.js'
import { startOfStep } from './reading/starts.js'

/** Holds for a step with an end, and for a message, which is recorded when it was said. */
const isOver = sql`(${s.endTime} IS NOT NULL
  OR ${s.type} IN ('user_message', 'assistant_message', 'system_message') AND ${s.startTime} IS NOT NULL)`

const stepSums = select({
  id: s.threadId.narrow<string>(),
  steps: cast('integer', sql`count(*)`),
  errors: cast(
    'integer',
    sql`count(*) FILTER (WHERE ${s.error} IS NOT NULL OR ${s.genError} IS NOT NULL)`,
  ),
  tokens: cast('bigint | null', sql`sum(${counted.tokens})`),
  cost: cast(
    'bigint | null',
    sql`CASE WHEN sum(${counted.cost}) < 9e18 THEN sum(${counted.cost}) END`,
  ),
  unpriced: cast('integer', sql`count(*) FILTER (WHERE ${isUnpriced})`),
  isWaiting: cast('boolean', sql`coalesce(bool_or(${isWaiting}), false)`),
  duration: cast(
    'float8 | null',
    sql`CASE WHEN bool_or(${isOver})
      THEN extract(epoch FROM max(coalesce(${s.endTime}, ${s.startTime})) - min(coalesce(${s.startTime}, ${s.endTime}))) END`,
  ),
  started: cast('timestamptz | null', sql`min(${s.startTime})`),
  last: cast('timestamptz | null', sql`max(${s.createdAt})`),
  lastActivity: cast(
    'timestamptz | null',
    sql`max(coalesce(greatest(${s.startTime}, ${s.endTime}), ${s.createdAt}))`,
  ),
  lastTurn: cast(
    'timestamptz | null',
    sql`max(${startOfStep}) FILTER (WHERE ${s.type} = 'user_message'
      OR ${s.type} IN ('run', 'undefined') AND ${s.parentId} IS NULL)`,
  ),
  mayCallTools: cast('boolean', sql`bool_or(${s.type} = 'tool' OR ${s.hasGeneration})`),
  mayBeNested: cast('boolean', sql`bool_or(${mayBeNested})`),
})

export type StepSums = RowOf<typeof stepSums>

const takenThread = select(pick(t, 'id', 'figuresBefore'))

interface TakenThread {
  id: string
  /** True when some of its steps were deleted because of their age, and their figures were kept. */
  isPartlyDeleted: boolean
}

/**
 * Takes the marks of stale threads, and returns these. Marks are taken before anything is summed up: a transaction that
 * changes steps in the meantime waits for this one's row locks and marks the thread again, so no step is missed.
 */
export const takeStaleThreads = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<TakenThread[]> => {
  const { rows } = await sql`
    UPDATE threads t SET stale = false
    WHERE t.project_id = ${projectId} AND t.id = ANY(${ids}::text[]) AND t.stale
    RETURNING ${takenThread}`.execute(db)
  return rows.map(({ id, figuresBefore }) => ({ id, isPartlyDeleted: figuresBefore !== null }))
}

/** Sums up the steps of threads; leaves out threads without steps. */
export const sumSteps = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<StepSums[]> => {
  const { rows } = await sql`
    SELECT ${stepSums} FROM steps s
    WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${ids}::text[]) AND s.ingested
    GROUP BY s.thread_id`.execute(db)
  return rows
}

/** Stores the sums of threads; those without any have no steps. */
export const storeSums = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  sums: readonly StepSums[],
): Promise<void> => {
  const messages = await findFirstMessages(db, projectId, ids)
  const answers = await findLastMessages(db, projectId, ids)
  const failed = sums.flatMap(({ id, errors }) => (errors > 0 ? [id] : []))
  const errors = await findFirstErrors(db, projectId, failed)
  const tools = await findLastTools(db, projectId, sums)
  const byId = new Map(sums.map((row) => [row.id, row]))
  const column = <Value>(read: (row: StepSums) => Value) =>
    ids.map((id) => {
      const row = byId.get(id)
      return row === undefined ? null : read(row)
    })
  await sql`
    UPDATE threads t SET token_count = r.tokens, duration = r.duration, last_step_at = r.last, started_at = r.started,
      step_count = coalesce(r.steps, 0), error_count = coalesce(r.errors, 0), first_message = r.message,
      last_activity_at = r.activity,
      last_tools = CASE WHEN r.tools IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(r.tools)) END,
      last_message = r.answer, first_error = r.error,
      cost = r.cost, unpriced_count = coalesce(r.unpriced, 0)
    FROM unnest(${[...ids]}::text[], ${column(({ tokens }) => tokens)}::bigint[],
      ${column(({ duration }) => duration)}::float8[], ${column(({ last }) => last)}::timestamptz[],
      ${column(({ steps }) => steps)}::integer[], ${column(({ errors }) => errors)}::integer[],
      ${ids.map((id) => messages.get(id) ?? null)}::text[],
      ${column(({ lastActivity }) => lastActivity)}::timestamptz[], ${ids.map((id) => tools.get(id) ?? null)}::json[],
      ${ids.map((id) => answers.get(id) ?? null)}::text[], ${ids.map((id) => errors.get(id) ?? null)}::text[],
      ${column(({ started }) => started)}::timestamptz[],
      ${column(({ cost }) => cost)}::bigint[], ${column(({ unpriced }) => unpriced)}::integer[])
      AS r (id, tokens, duration, last, steps, errors, message, activity, tools, answer, error, started, cost, unpriced)
    WHERE t.project_id = ${projectId} AND t.id = r.id`.execute(db)
}
