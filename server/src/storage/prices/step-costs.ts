import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
import { counted } from '../ingestion/nested-calls.js'
import { isUnpriced } from './costs.js'

const unpriced = cast('boolean', sql`coalesce(${isUnpriced}, false)`)

const own = select({ ...pick(s, 'id', 'parentId', 'threadId'), cost: counted.cost, unpriced })

/** Returns the costs of the calls of some steps, without those that calls in them have told too. */
export const findOwnCosts = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<RowOf<typeof own>[]> => {
  const { rows } = await sql`
    SELECT ${own} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[]) AND s.ingested`.execute(db)
  return rows
}

const below = select({
  ...pick(s, 'id'),
  parentId: s.parentId.narrow<string>(),
  cost: counted.cost,
  unpriced,
})

/** Returns the costs of the steps directly below some steps: up to a number. */
export const findCostsBelow = async (
  db: Database,
  projectId: string,
  parentIds: readonly string[],
  most: number,
): Promise<RowOf<typeof below>[]> => {
  const { rows } = await sql`
    SELECT ${below} FROM steps s
    WHERE s.project_id = ${projectId} AND s.parent_id = ANY(${parentIds}::text[]) AND s.ingested
    LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}
