import { TABLES } from '../../../generated/tables.js'
import type { Database } from '../../database/database.js'
import type { Definition, TableName } from '../../database/rows/columns.js'
import { type Sql, sql } from '../../database/rows/sql.js'
import type { MovedTable } from './plan.js'

/** Of the move itself, and so of one database. */
const STAYING: ReadonlySet<TableName> = new Set<TableName>(['moves', 'move_changes'])

/**
 * Reads the tables of a whole service with all columns that are not generated, and their primary keys. Referenced tables
 * come first, files before what refers to them.
 */
export const wholeTables = async (db: Database): Promise<MovedTable[]> => {
  const { rows } = await sql`
    SELECT c.relname::varchar AS name, json_agg(a.attname ORDER BY k.place)::varchar AS columns
    FROM pg_index i
    JOIN pg_class c ON c.oid = i.indrelid
    CROSS JOIN LATERAL unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (number, place)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
    WHERE i.indisprimary AND c.relnamespace = current_schema()::regnamespace
    GROUP BY c.relname`.execute(db)
  const keys = new Map(
    (rows as { name: string; columns: string }[]).map(({ name, columns }) => [
      name,
      JSON.parse(columns) as string[],
    ]),
  )
  const names = (Object.keys(TABLES) as TableName[]).filter((name) => !STAYING.has(name))
  return names
    .map((name) => {
      const all = Object.values<Definition>(TABLES[name])
      const key = keys.get(name)
      if (key === undefined) throw new Error(`the table ${name} has no primary key`)
      return {
        name,
        key: key.map((column) => all.find((one) => one.column === column) as Definition),
        columns: all.filter(({ isGenerated }) => isGenerated !== true),
      }
    })
    .sort((one, other) => rank(one.name) - rank(other.name) || (one.name < other.name ? -1 : 1))
}

const FIRST: readonly TableName[] = ['projects', 'secrets', 'api_keys', 'files']
const rank = (name: TableName): number => {
  const place = FIRST.indexOf(name)
  return place < 0 ? FIRST.length : place
}

/** The text form, by a type that the driver hands on as it is. */
export const textOf = ({ column }: Definition): Sql => sql`${sql.ref(`r.${column}`)}::varchar`

export const refs = (columns: readonly Definition[], from?: string): Sql =>
  sql.join(columns.map(({ column }) => sql.ref(from === undefined ? column : `${from}.${column}`)))
