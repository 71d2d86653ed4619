import type { Database } from '../../database/database.js'
import { EscapedText } from '../../database/parameters.js'
import type { Definition } from '../../database/rows/columns.js'
import { type Sql, select, sql } from '../../database/rows/sql.js'
import type { MovedTable } from './plan.js'

/** Bytes of rows that are read at once; a row that is larger is read alone. */
const PAGE_BYTES = 1_000_000
const FIRST_ROWS = 16
const MOST_ROWS = 1000

/** A row by its columns, in the text forms of PostgreSQL. */
export type TextRow = Record<string, string | null>

/** The text form, by a type that the driver hands on as it is. */
const textOf = ({ column, type }: Definition): Sql =>
  type === 'text[]' ? sql`to_json(${sql.ref(column)})::varchar` : sql`${sql.ref(column)}::varchar`

/** The same with what `projects` keeps for other tables' `project_id`. */
const ownerOf = ({ name }: MovedTable): Sql => sql.ref(name === 'projects' ? 'id' : 'project_id')

/** The value of a text form that was read before. It is escaped for PostgreSQL already. */
const keyValue = ({ type }: Definition, text: string | null | undefined): Sql =>
  sql`${new EscapedText(text ?? '')}::${sql.raw(type)}`

/**
 * Reads a table's rows of a project in the order of the primary key, in portions of bounded size whatever the rows are.
 * Needs a transaction with one snapshot.
 */
export async function* readRows(
  db: Database,
  projectId: string,
  table: MovedTable,
): AsyncGenerator<readonly TextRow[]> {
  const { name, key, columns } = table
  const order =
    key.length === 0 ? sql`` : sql`ORDER BY ${sql.join(key.map(({ column }) => sql.ref(column)))}`
  const read = [...new Set([...key, ...columns])]
  const selected = select(Object.fromEntries(read.map((one) => [one.column, textOf(one)])))
  let last: TextRow | undefined
  let most = FIRST_ROWS
  for (;;) {
    const after =
      last === undefined
        ? sql``
        : sql`AND (${sql.join(key.map(({ column }) => sql.ref(column)))}) > (${sql.join(key.map((one) => keyValue(one, last?.[one.column])))})`
    // The sizes before those of a row decide if it is sent, so that at least one always is.
    const { rows } = await sql`
      SELECT ${selected} FROM (
        SELECT r.*, sum(octet_length(r::text)) OVER (${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
        FROM (
          SELECT * FROM ${sql.table(name)}
          WHERE ${ownerOf(table)} = ${projectId} ${after} ${order} LIMIT ${sql.lit(most)}
        ) AS r
      ) AS r WHERE coalesce(bytes_before, 0) < ${sql.lit(PAGE_BYTES)} ${order}`.execute(db)
    if (rows.length > 0) yield rows as TextRow[]
    last = rows.at(-1) as TextRow | undefined
    if (last === undefined || key.length === 0) return
    most = rows.length === most ? Math.min(most * 2, MOST_ROWS) : Math.max(rows.length * 2, 1)
  }
}

/** Counts a table's rows of a project. */
export const countRows = async (
  db: Database,
  projectId: string,
  table: MovedTable,
): Promise<number> => {
  const { rows } = await sql`
    SELECT ${select({ count: sql`count(*)::varchar` })} FROM ${sql.table(table.name)}
    WHERE ${ownerOf(table)} = ${projectId}`.execute(db)
  return Number((rows[0] as { count?: string } | undefined)?.count ?? 0)
}
