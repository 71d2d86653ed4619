import type { Database } from '../database/database.js'
import { EscapedText } from '../database/parameters.js'
import { cast } from '../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../database/rows/sql.js'
import { s, t } from '../database/rows/tables.js'
import { encodeJson } from '../database/text.js'
import { isOf, type StepsOfThreads } from './conversations/steps-of-threads.js'
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
  isOver: cast('boolean', sql`coalesce(bool_or(${isOver}), false)`),
  begin: cast('timestamptz | null', sql`min(coalesce(${s.startTime}, ${s.endTime}))`),
  end: cast('timestamptz | null', sql`max(coalesce(${s.endTime}, ${s.startTime}))`),
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

const markedThread = select({
  ...pick(t, 'id', 'figuresBefore'),
  // Each change of a row has a version of its own, a mark on a marked thread too.
  version: cast('text', sql`t.xmin::text`),
})

/** A thread with a mark that is left until its sums are stored. */
export interface MarkedThread extends TakenThread {
  version: string
}

/** Returns those of some threads that are stale and had more steps than a number when they were summed up last. */
export const findLargeStaleThreads = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  steps: number,
): Promise<MarkedThread[]> => {
  const { rows } = await sql`
    SELECT ${markedThread} FROM threads t
    WHERE t.project_id = ${projectId} AND t.id = ANY(${[...ids]}::text[]) AND t.stale
      AND t.step_count > ${sql.lit(steps)}`.execute(db)
  return rows.map(({ id, version, figuresBefore }) => ({
    id,
    version,
    isPartlyDeleted: figuresBefore !== null,
  }))
}

/** Sums up the steps of threads; leaves out threads without steps. */
export const sumSteps = async (
  db: Database,
  projectId: string,
  searched: StepsOfThreads,
): Promise<StepSums[]> => {
  const { rows } = await sql`
    SELECT ${stepSums} FROM steps s
    WHERE s.project_id = ${projectId} AND ${isOf(searched)} AND s.ingested
    GROUP BY s.thread_id`.execute(db)
  return rows
}

/** Figures and words of a thread, from its steps. */
export interface ThreadSums {
  id: string
  /** Undefined for a thread without steps. */
  sums: StepSums | undefined
  firstMessage: string | null
  lastMessage: string | null
  firstError: string | null
  tools: readonly string[] | null
  /**
   * The version whose mark goes when the row still has it; nothing is stored when another has taken the mark. Without a
   * version, the mark was taken before.
   */
  version?: string
}

/** Stores the sums of threads. */
export const storeSums = async (
  db: Database,
  projectId: string,
  threads: readonly ThreadSums[],
): Promise<void> => {
  const column = <Value>(read: (row: StepSums) => Value) =>
    threads.map(({ sums }) => (sums === undefined ? null : read(sums)))
  const tools = threads.map(({ tools }) => tools && new EscapedText(encodeJson(tools)))
  await sql`
    UPDATE threads t SET token_count = r.tokens, last_step_at = r.last, started_at = r.started,
      duration = CASE WHEN r.is_over THEN extract(epoch FROM r.ended - r.begun) END,
      step_count = coalesce(r.steps, 0), error_count = coalesce(r.errors, 0), first_message = r.message,
      last_activity_at = r.activity,
      last_tools = CASE WHEN r.tools IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(r.tools)) END,
      last_message = r.answer, first_error = r.error,
      cost = r.cost, unpriced_count = coalesce(r.unpriced, 0),
      stale = CASE WHEN r.version IS NULL THEN t.stale ELSE t.xmin::text <> r.version END
    FROM unnest(${threads.map(({ id }) => id)}::text[], ${column(({ tokens }) => tokens)}::bigint[],
      ${column(({ isOver }) => isOver)}::boolean[], ${column(({ begin }) => begin)}::timestamptz[],
      ${column(({ end }) => end)}::timestamptz[], ${column(({ last }) => last)}::timestamptz[],
      ${column(({ steps }) => steps)}::integer[], ${column(({ errors }) => errors)}::integer[],
      ${threads.map(({ firstMessage }) => firstMessage)}::text[],
      ${column(({ lastActivity }) => lastActivity)}::timestamptz[], ${tools}::json[],
      ${threads.map(({ lastMessage }) => lastMessage)}::text[],
      ${threads.map(({ firstError }) => firstError)}::text[],
      ${column(({ started }) => started)}::timestamptz[],
      ${column(({ cost }) => cost)}::bigint[], ${column(({ unpriced }) => unpriced)}::integer[],
      ${threads.map(({ version }) => version ?? null)}::text[])
      AS r (id, tokens, is_over, begun, ended, last, steps, errors, message, activity, tools, answer, error, started, cost,
        unpriced, version)
    WHERE t.project_id = ${projectId} AND t.id = r.id AND (r.version IS NULL OR t.stale)`.execute(db)
}
