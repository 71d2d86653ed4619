import type { Database } from '../../database/database.js'
import { inSequence } from '../../database/distribution/cluster.js'
import type { TableName } from '../../database/rows/columns.js'
import { sql } from '../../database/rows/sql.js'
import type { MovedTable } from '../moving/plan.js'
import type { TextRow } from '../moving/read.js'
import { between, type Key, keyOf, selectionOf } from '../moving/rows.js'
import { refs, wholeTables } from '../moving/whole.js'

/** Rows that stay until the project itself goes: they lead to the contents of files, or say who did what. */
const LAST: ReadonlySet<TableName> = new Set<TableName>(['files', 'audit_entries', 'audit_runs'])

/** Tables that triggers of deletions write to, and what is measured from their rows. */
const MEASURED = /^(rollup|participant_(mark|sum))/

/** A table that is emptied in portions, with its key after the project. */
type Emptied = Pick<MovedTable, 'name' | 'key'>

/** Lists the tables that may have many rows of a project. Tables of measurements come last. */
export const tablesToEmpty = async (db: Database): Promise<Emptied[]> => {
  const isMeasured = ({ name }: Emptied) => Number(MEASURED.test(name))
  return (await wholeTables(db))
    .filter(
      ({ name, key: [first, second] }) =>
        !LAST.has(name) && first?.column === 'project_id' && second !== undefined,
    )
    .map(({ name, key }) => ({ name, key: key.slice(1) }))
    .sort((one, other) => isMeasured(one) - isMeasured(other))
}

/**
 * Deletes the next rows of a project behind a key. Needs a transaction. Returns the key to go on behind, if there may be more.
 */
export const deleteBehind = async (
  db: Database,
  projectId: string,
  table: Emptied,
  behind: Key | undefined,
  most: number,
): Promise<{ count: number; reached: Key | undefined }> => {
  await inSequence(db)
  const name = sql.table(table.name)
  const key = refs(table.key)
  const mine = (reached?: Key) =>
    sql.join([sql`project_id = ${projectId}`, ...between(table, behind, reached)], sql` AND `)
  // The order is that of the columns, and not of their text forms, which have the same names.
  const { rows } = await sql`
    SELECT ${selectionOf({ key: table.key })} FROM (
      SELECT ${key} FROM ${name} WHERE ${mine()}
      ORDER BY ${key} OFFSET ${sql.lit(most - 1)} LIMIT 1) r`.execute(db)
  const reached = rows[0] && keyOf(table, rows[0] as TextRow)
  const { numAffectedRows } = await sql`DELETE FROM ${name} WHERE ${mine(reached)}`.execute(db)
  return { count: Number(numAffectedRows ?? 0), reached }
}

/** Deletes the keys of a project, so that every process rejects them. Returns their number. */
export const deleteKeys = async (db: Database, projectId: string): Promise<number> => {
  const { numAffectedRows } = await sql`
    DELETE FROM api_keys WHERE project_id = ${projectId}`.execute(db)
  return Number(numAffectedRows ?? 0)
}
