import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, type Sql, select, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
import { isOf, type StepsOfThreads } from '../conversations/steps-of-threads.js'

const isSpan = sql`length(s.id) = 49`

/** Holds for a step whose thread may have calls of models in one another, or had them when it was summed up last. */
export const mayBeNested = sql`(
  (${isSpan} AND s.parent_id IS NOT NULL AND s.type IN ('llm', 'embedding'))
  OR s.told_tokens IS NOT NULL OR s.told_input_tokens IS NOT NULL OR s.told_output_tokens IS NOT NULL
  OR s.told_cost IS NOT NULL)`

/**
 * Returns the tokens of a step, or its cost, without those that calls in it have told too. Null where the step has none, which
 * `greatest` would pass over.
 */
const untold = (tokens: Sql<number | null>, told: Sql<number | null>) =>
  cast(
    'bigint | null',
    sql`CASE WHEN ${tokens} IS NOT NULL THEN greatest(${tokens} - coalesce(${told}, 0), 0) END`,
  )

/** The tokens of steps as sums count them: those of a call that is several spans once. */
export const counted = {
  tokens: untold(s.genTokens, s.toldTokens),
  inputTokens: untold(s.genInputTokenCount, s.toldInputTokens),
  outputTokens: untold(s.genOutputTokenCount, s.toldOutputTokens),
  /** Null without a price. */
  cost: untold(s.genCost, s.toldCost),
}

const columns = select({
  ...pick(
    s,
    'id',
    'parentId',
    'type',
    'toldTokens',
    'toldInputTokens',
    'toldOutputTokens',
    'toldCost',
  ),
  threadId: s.threadId.narrow<string>(),
  tokens: s.genTokens,
  inputTokens: s.genInputTokenCount,
  outputTokens: s.genOutputTokenCount,
  cost: s.genCost,
})

export type CallRow = RowOf<typeof columns>

/**
 * Returns those steps of threads that may be part of a call of a model, or have a note of one, in the order of their ids,
 * which begin with their trace's: up to a number, after an id.
 */
export const findCalls = async (
  db: Database,
  projectId: string,
  searched: StepsOfThreads,
  after: string,
  most: number,
): Promise<CallRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM steps s
    WHERE s.project_id = ${projectId} AND ${isOf(searched)} AND s.ingested AND s.id > ${after}
      AND ((${isSpan} AND s.type IN ('llm', 'embedding', 'undefined')) OR ${mayBeNested})
    ORDER BY s.id LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}

export interface ToldTokens {
  id: string
  tokens: number | null
  inputTokens: number | null
  outputTokens: number | null
  cost: number | null
}

/** Stores the tokens and costs of steps that calls in them have told too. */
export const noteToldTokens = async (
  db: Database,
  projectId: string,
  told: readonly ToldTokens[],
): Promise<void> => {
  await sql`
    UPDATE steps s SET told_tokens = r.tokens, told_input_tokens = r.input, told_output_tokens = r.output,
      told_cost = r.cost
    FROM unnest(${told.map(({ id }) => id)}::text[], ${told.map(({ tokens }) => tokens)}::bigint[],
      ${told.map(({ inputTokens }) => inputTokens)}::bigint[],
      ${told.map(({ outputTokens }) => outputTokens)}::bigint[],
      ${told.map(({ cost }) => cost)}::bigint[]) AS r (id, tokens, input, output, cost)
    WHERE s.project_id = ${projectId} AND s.id = r.id`.execute(db)
}
