import type { Usage } from '../../../generated/model-calls/usage/usage.js'
import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, type Sql, select, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import { isOf, type StepsOfThreads } from '../conversations/steps-of-threads.js'
import { counted } from '../ingestion/nested-calls.js'

/** Returns a cost in dollars, in the form of the indexes. */
export const inDollars = (picodollars: Sql<number | null>) =>
  cast('float8 | null', sql`${picodollars}::float8 / 1e12::float8`)

/** Holds for a call whose cost is not computed yet, or was before it changed. */
export const isWaiting = sql`(s.has_generation AND s.gen_cost_revision <= 0)`

/**
 * Holds for a call of which some part has no price. Calls whose tokens calls in them have told, and failed ones without
 * tokens, cost nothing of their own.
 */
export const isUnpriced = sql`(s.has_generation
  AND (s.gen_cost_revision <= 0 OR s.gen_cost_source = 'NONE' OR s.gen_cost_partial)
  AND CASE WHEN s.gen_tokens IS NULL THEN s.gen_error IS NULL AND s.error IS NULL ELSE ${counted.tokens} > 0 END)`

/** The values that a cost depends on, without the large ones. */
const inputs = select({
  ...pick(s, 'id', 'threadId', 'genCost', 'genCostSource', 'genCostPartial', 'genCostRevision'),
  provider: s.genProvider,
  model: s.genModel,
  usage: s.genUsage.narrow<Usage | null>(),
  tokenCount: s.genTokens,
  inputTokenCount: s.genInputTokenCount,
  outputTokenCount: s.genOutputTokenCount,
  clientCost: s.genClientCost,
  serviceTier: cast(
    'text | null',
    sql`CASE WHEN json_typeof(${s.genSettings}) = 'object'
      THEN coalesce(${s.genSettings} ->> 'service_tier', ${s.genSettings} ->> 'serviceTier') END`,
  ),
  moment: cast('timestamptz', sql`coalesce(${s.startTime}, ${s.createdAt})`).narrow<Instant>(),
})

export type CallInputs = RowOf<typeof inputs>

/** A place in the order in which calls are priced. */
export interface CallPlace {
  genCostRevision: number
  id: string
}

const findCalls = async (
  db: Database,
  projectId: string,
  test: Sql,
  most: number,
): Promise<CallInputs[]> => {
  const { rows } = await sql`
    SELECT ${inputs} FROM steps s
    WHERE s.project_id = ${projectId} AND s.has_generation AND s.ingested AND ${test}
    LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}

/** Returns calls that were priced before a revision, or not at all, in the order of an index: up to a number. */
export const findCallsBefore = (
  db: Database,
  projectId: string,
  revision: number,
  after: CallPlace | undefined,
  most: number,
): Promise<CallInputs[]> =>
  findCalls(
    db,
    projectId,
    sql`s.gen_cost_revision < ${revision}::integer
    ${after === undefined ? sql`` : sql`AND (s.gen_cost_revision, s.id) > (${after.genCostRevision}::integer, ${after.id})`}
    ORDER BY s.gen_cost_revision, s.id`,
    most,
  )

/** Returns calls of threads that wait for their price: up to a number. */
export const findWaitingCalls = (
  db: Database,
  projectId: string,
  searched: StepsOfThreads,
  most: number,
): Promise<CallInputs[]> =>
  findCalls(db, projectId, sql`s.gen_cost_revision <= 0 AND ${isOf(searched)}`, most)

/** Returns the calls of some steps. */
export const findCallInputs = (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<CallInputs[]> => findCalls(db, projectId, sql`s.id = ANY(${ids}::text[])`, ids.length)

/** Returns a project with calls that wait for their price. */
export const findWaitingProject = async (db: Database): Promise<string | undefined> => {
  const { rows } = await sql`
    SELECT ${select(pick(s, 'projectId'))} FROM steps s
    WHERE s.has_generation AND s.ingested AND s.gen_cost_revision <= 0
    ORDER BY s.project_id LIMIT 1`.execute(db)
  return rows[0]?.projectId
}

/** Counts the calls that were priced before a revision. */
export const countCallsBefore = async (
  db: Database,
  projectId: string,
  revision: number,
): Promise<number> => {
  const { rows } = await sql`
    SELECT ${select({ count: cast('bigint', sql`count(*)`) })} FROM steps s
    WHERE s.project_id = ${projectId} AND s.has_generation AND s.ingested
      AND s.gen_cost_revision < ${revision}::integer`.execute(db)
  return rows[0]?.count ?? 0
}

export interface CostWrite {
  id: string
  cost: number | null
  source: string
  isPartial: boolean
  revision: number
  /** The revision that the call had when it was read: a call that has changed since keeps waiting. */
  before: number
}

/** Stores costs of calls that have not changed since they were read. Returns these, with the threads that they are in. */
export const storeCosts = async (
  db: Database,
  projectId: string,
  costs: readonly CostWrite[],
): Promise<{ id: string; threadId: string | null }[]> => {
  const { rows } = await sql`
    UPDATE steps s SET gen_cost = r.cost, gen_cost_source = r.source, gen_cost_partial = r.partial,
      gen_cost_revision = r.revision
    FROM unnest(${costs.map(({ id }) => id)}::text[], ${costs.map(({ cost }) => cost)}::bigint[],
      ${costs.map(({ source }) => source)}::text[], ${costs.map(({ isPartial }) => isPartial)}::boolean[],
      ${costs.map(({ revision }) => revision)}::integer[], ${costs.map(({ before }) => before)}::integer[])
      AS r (id, cost, source, partial, revision, before)
    WHERE s.project_id = ${projectId} AND s.id = r.id AND s.gen_cost_revision = r.before
    RETURNING ${select(pick(s, 'id', 'threadId'))}`.execute(db)
  return rows
}
