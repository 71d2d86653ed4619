import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { c, i, x } from '../../database/rows/tables.js'
import type { Listing } from '../../lists/listing.js'
import { experimentItemListing } from '../experiments.js'

const columns = select(
  pick(
    x,
    'id',
    'createdAt',
    'datasetItemId',
    'experimentRunId',
    'key',
    'repetition',
    'error',
    'durationMs',
    'tokens',
    'cost',
    'cluster',
  ),
)
export type OutcomeRow = RowOf<typeof columns>

/** Results of experiments without what makes them large. */
export const outcomeListing: Listing<OutcomeRow> = { ...experimentItemListing, columns }

const scoreColumns = select({
  of: c.datasetExperimentItemId.narrow<string>(),
  ...pick(c, 'name', 'value', 'scorer'),
})

/** Returns the scores of some results, in the order of creation. */
export const findOutcomeScores = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<RowOf<typeof scoreColumns>[]> => {
  const { rows } = await sql`
    SELECT ${scoreColumns} FROM scores c
    WHERE c.project_id = ${projectId} AND c.dataset_experiment_item_id = ANY(${ids}::text[])
    ORDER BY c.created_at, c.id`.execute(db)
  return rows
}

const groupColumns = select({
  id: i.id,
  group: cast(
    'text | null',
    sql`coalesce(${i.metadata} ->> 'group', ${i.metadata} ->> 'threadId')`,
  ),
})

/** Returns the groups that the metadata of some items states. */
export const findGroupsOfItems = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<RowOf<typeof groupColumns>[]> => {
  const { rows } = await sql`
    SELECT ${groupColumns} FROM dataset_items i
    WHERE i.project_id = ${projectId} AND i.id = ANY(${ids}::text[])`.execute(db)
  return rows
}
