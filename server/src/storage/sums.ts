import type { Database } from '../database/database.js'
import { EscapedText } from '../database/parameters.js'
import { cast } from '../database/rows/columns.js'
import { pick, type RowOf, type Sql, select, sql } from '../database/rows/sql.js'
import { s, t } from '../database/rows/tables.js'
import { encodeJson } from '../database/text.js'
import { isOf, type StepsOfThreads } from './conversations/steps-of-threads.js'
import { counted, mayBeNested } from './ingestion/nested-calls.js'
import { isUnpriced, isWaiting } from './prices/costs.js'
import { hasFailed } from './reading/failures.js'
import { startOfStep } from './reading/starts.js'

/** Holds for a step with an end, and for a message, which is recorded when it was said. */
const isOver = sql`(${s.endTime} IS NOT NULL
  OR ${s.type} IN ('user_message', 'assistant_message', 'system_message') AND ${s.startTime} IS NOT NULL)`

const stepSums = select({
  id: s.threadId.narrow<string>(),
  steps: cast('integer', sql`count(*)`),
  errors: cast('integer', sql`count(*) FILTER (WHERE ${hasFailed})`),
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

const staleThread = select({
  ...pick(t, 'id', 'stepCount', 'figuresBefore', 'wordsTaken', 'figuresChanged'),
  // Each change of a row has a version of its own, a mark on a marked thread too.
  version: cast('text', sql`t.xmin::text`),
})

/** A thread that is marked since its steps have changed. It keeps its mark until its sums are stored. */
export interface StaleThread {
  id: string
  version: string
  /** The number of times that its words were taken. */
  wordsTaken: number
  /** The number of times that prices and notes of calls changed figures of its steps. */
  figuresChanged: number
  /** The number of its steps when it was summed up last. */
  stepCount: number
  /** True when some of its steps were deleted because of their age, and their figures were kept. */
  isPartlyDeleted: boolean
}

/** Returns those of some threads that are stale. */
export const findStale = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<StaleThread[]> => {
  const { rows } = await sql`
    SELECT ${staleThread} FROM threads t
    WHERE t.project_id = ${projectId} AND t.id = ANY(${[...ids]}::text[]) AND t.stale`.execute(db)
  return rows.map(({ figuresBefore, ...thread }) => ({
    ...thread,
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
export interface ThreadFigures {
  id: string
  /** Those of the thread before its steps were read. */
  version: string
  wordsTaken: number
  figuresChanged: number
  /** Undefined for a thread without steps. */
  sums: StepSums | undefined
  firstMessage: string | null
  lastMessage: string | null
  firstError: string | null
  tools: readonly string[] | null
}

/** Holds for a thread that nobody has marked since its steps were read. */
const isUnchanged = sql`(t.xmin::text = r.version)`

/** Returns words, or null when those of the thread were taken since they were read: these must not come back. */
const words = (read: Sql) => sql`CASE WHEN t.words_taken = r.taken THEN ${read} END`

/**
 * Stores the sums of threads, and takes their marks. A thread that was marked since its steps were read keeps its mark, and an
 * earlier start, which is stored with its step. One without
 * a mark stays as it is: another process has stored its sums, which are at least as new.
 *
 * Leaves out threads whose figures were changed since their steps were read, unless even these are to be stored: their sums are
 * those of no moment, as tokens of calls in calls that count twice. Returns the ids of the threads whose sums it has stored.
 */
export const storeSums = async (
  db: Database,
  projectId: string,
  threads: readonly ThreadFigures[],
  { evenChanged }: { evenChanged: boolean },
): Promise<string[]> => {
  const column = <Value>(read: (row: StepSums) => Value) =>
    threads.map(({ sums }) => (sums === undefined ? null : read(sums)))
  const tools = threads.map(({ tools }) => tools && new EscapedText(encodeJson(tools)))
  const { rows } = await sql`
    UPDATE threads t SET token_count = r.tokens, last_step_at = r.last,
      started_at = CASE WHEN ${isUnchanged} THEN r.started ELSE least(t.started_at, r.started) END,
      duration = CASE WHEN r.is_over THEN extract(epoch FROM r.ended - r.begun) END,
      step_count = coalesce(r.steps, 0), error_count = coalesce(r.errors, 0), first_message = ${words(sql`r.message`)},
      last_activity_at = r.activity,
      last_tools = CASE WHEN r.tools IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(r.tools)) END,
      last_message = ${words(sql`r.answer`)}, first_error = ${words(sql`r.error`)},
      cost = r.cost, unpriced_count = coalesce(r.unpriced, 0),
      stale = NOT ${isUnchanged}
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
      ${threads.map(({ version }) => version)}::text[], ${threads.map(({ wordsTaken }) => wordsTaken)}::bigint[],
      ${threads.map(({ figuresChanged }) => figuresChanged)}::bigint[])
      AS r (id, tokens, is_over, begun, ended, last, steps, errors, message, activity, tools, answer, error, started, cost,
        unpriced, version, taken, changed)
    WHERE t.project_id = ${projectId} AND t.id = r.id AND t.stale
      AND (${evenChanged} OR t.figures_changed = r.changed)
    RETURNING ${select(pick(t, 'id'))}`.execute(db)
  return rows.map(({ id }) => id)
}
