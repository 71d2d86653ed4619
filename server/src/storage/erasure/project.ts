import type { Database } from '../../database/database.js'
import { inSequence } from '../../database/distribution/cluster.js'
import { EscapedText } from '../../database/parameters.js'
import type { TableName } from '../../database/rows/columns.js'
import { type Sql, select, sql } from '../../database/rows/sql.js'
import type { MovedTable } from '../moving/plan.js'
import type { TextRow } from '../moving/read.js'
import { refs, textOf, wholeTables } from '../moving/whole.js'

/** Rows that stay until the project itself goes: they lead to the contents of files, or say who did what. */
const LAST: ReadonlySet<TableName> = new Set<TableName>(['files', 'audit_entries', 'audit_runs'])

/** A table that is emptied in portions, with its key after the project. */
type Emptied = Pick<MovedTable, 'name' | 'key'>

/** Lists the tables that may have many rows of a project. Tables that triggers of deletions write to come last. */
export const tablesToEmpty = async (db: Database): Promise<Emptied[]> => {
  const isMeasured = ({ name }: Emptied) => Number(name.startsWith('rollup'))
  return (await wholeTables(db))
    .filter(
      ({ name, key: [first, second] }) =>
        !LAST.has(name) && first?.column === 'project_id' && second !== undefined,
    )
    .map(({ name, key }) => ({ name, key: key.slice(1) }))
    .sort((one, other) => isMeasured(one) - isMeasured(other))
}

/** A key of a row, in the text forms of PostgreSQL. */
export type Place = TextRow

/** Deletes the next rows of a project behind a place. Needs a transaction. Returns the place to go on behind, if there may be more. */
export const deleteBehind = async (
  db: Database,
  projectId: string,
  { name, key }: Emptied,
  behind: Place | undefined,
  most: number,
): Promise<{ count: number; reached: Place | undefined }> => {
  await inSequence(db)
  const bound = (place: Place): Sql =>
    sql.join(
      key.map(({ column, type }) => sql`${new EscapedText(place[column] ?? '')}::${sql.raw(type)}`),
    )
  const mine = sql`project_id = ${projectId}`
  const left = behind === undefined ? mine : sql`${mine} AND (${refs(key)}) > (${bound(behind)})`
  const texts = select(Object.fromEntries(key.map((one) => [one.column, textOf(one)])))
  // The order is that of the columns, and not of their text forms, which have the same names.
  const { rows } = await sql`
    SELECT ${texts} FROM (
      SELECT ${refs(key)} FROM ${sql.table(name)} WHERE ${left}
      ORDER BY ${refs(key)} OFFSET ${sql.lit(most - 1)} LIMIT 1) r`.execute(db)
  const reached = rows[0] as Place | undefined
  const range =
    reached === undefined ? left : sql`${left} AND (${refs(key)}) <= (${bound(reached)})`
  const { numAffectedRows } = await sql`DELETE FROM ${sql.table(name)} WHERE ${range}`.execute(db)
  return { count: Number(numAffectedRows ?? 0), reached }
}

/** Deletes the keys of a project, so that every process rejects them. Returns their number. */
export const deleteKeys = async (db: Database, projectId: string): Promise<number> => {
  const { numAffectedRows } = await sql`
    DELETE FROM api_keys WHERE project_id = ${projectId}`.execute(db)
  return Number(numAffectedRows ?? 0)
}
