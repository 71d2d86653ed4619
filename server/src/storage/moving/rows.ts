import type { Database } from '../../database/database.js'
import { EscapedText } from '../../database/parameters.js'
import { type Sql, select, sql } from '../../database/rows/sql.js'
import type { MovedTable } from './plan.js'
import type { TextRow } from './read.js'
import { refs, textOf } from './whole.js'

/** Bytes of rows that are read at once; a row that is larger is read alone. */
const PAGE_BYTES = 1_000_000
/** Rows that are read at once. */
export const PAGE_ROWS = 1000

/** A primary key, as a JSON array of texts. */
export type Key = string

/** A table as far as its rows are told apart. */
type Keyed = Pick<MovedTable, 'key'>

/** A row of any project: its key, and the line that a move sends. */
export interface WholeRow {
  key: Key
  line: string
  /** The values of the columns, in the text forms of PostgreSQL. */
  row: TextRow
}

/** A row's key with the SHA-256 of all its values. */
export interface HashedRow {
  key: Key
  hash: string
}

export const keyOf = ({ key }: Keyed, row: TextRow): Key =>
  JSON.stringify(key.map(({ column }) => row[`k_${column}`] ?? row[column]))

const boundOf = ({ key }: Keyed, at: Key): Sql =>
  sql.join(
    (JSON.parse(at) as string[]).map(
      (text, index) => sql`${new EscapedText(text)}::${sql.raw(key[index]?.type ?? 'text')}`,
    ),
  )

/** Conditions for the rows after a key, and up to another one. */
export const between = (table: Keyed, after: Key | undefined, upTo?: Key | undefined): Sql[] => {
  const key = refs(table.key)
  return [
    ...(after === undefined ? [] : [sql`(${key}) > (${boundOf(table, after)})`]),
    ...(upTo === undefined ? [] : [sql`(${key}) <= (${boundOf(table, upTo)})`]),
  ]
}

const rangeOf = (table: Keyed, after: Key | undefined, upTo: Key | undefined): Sql => {
  const conditions = between(table, after, upTo)
  return conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`
}

/** Selects the key and the columns, if any, in the text forms of PostgreSQL, of rows that the statement calls `r`. */
export const selectionOf = ({ key, columns = [] }: Keyed & Partial<Pick<MovedTable, 'columns'>>) =>
  select(
    Object.fromEntries([...new Set([...key, ...columns])].map((one) => [one.column, textOf(one)])),
  )

const wholeRow = (table: MovedTable, row: TextRow): WholeRow => ({
  key: keyOf(table, row),
  line: JSON.stringify(
    Object.fromEntries(table.columns.map(({ column }) => [column, row[column] ?? undefined])),
  ),
  row,
})

/**
 * Reads the next rows of a table, of all projects, in the order of keys.
 *
 * @returns The rows, and if there were no others behind them.
 */
export const readPage = async (
  db: Database,
  table: MovedTable,
  after: Key | undefined,
): Promise<{ rows: WholeRow[]; isLast: boolean }> => {
  const order = sql`ORDER BY ${refs(table.key)}`
  // The sizes before those of a row decide if it is sent, so that at least one always is.
  const { rows } = await sql`
    SELECT ${selectionOf(table)}, found::varchar AS rows_found FROM (
      SELECT r.*, count(*) OVER () AS found, sum(octet_length(r::text)) OVER (${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM (
        SELECT * FROM ${sql.table(table.name)} ${rangeOf(table, after, undefined)} ${order} LIMIT ${sql.lit(PAGE_ROWS)}
      ) AS r
    ) AS r WHERE coalesce(bytes_before, 0) < ${sql.lit(PAGE_BYTES)} ${order}`.execute(db)
  const found = Number((rows[0] as TextRow | undefined)?.rows_found ?? 0)
  return {
    rows: (rows as TextRow[]).map((row) => wholeRow(table, row)),
    isLast: found < PAGE_ROWS && rows.length === found,
  }
}

/** The keys as rows of a statement. */
const keysOf = ({ key }: MovedTable, keys: readonly Key[]): Sql => {
  const columns = key.map(
    ({ column, type }, index) =>
      sql`(k.value ->> ${sql.lit(index)})::${sql.raw(type)} AS ${sql.ref(column)}`,
  )
  return sql`(SELECT ${sql.join(columns)} FROM json_array_elements(${new EscapedText(`[${keys.join(',')}]`)}::json) AS k) AS k`
}

const joined = ({ name, key }: MovedTable, keys: Sql): Sql =>
  sql`${keys} JOIN ${sql.table(name)} AS r ON ${sql.join(
    key.map(({ column }) => sql`r.${sql.ref(column)} = k.${sql.ref(column)}`),
    sql` AND `,
  )}`

/** Reads the sizes of rows by their keys; those that are gone have none. */
export const sizesOf = async (
  db: Database,
  table: MovedTable,
  keys: readonly Key[],
): Promise<Map<Key, number>> => {
  const { rows } = await sql`
    SELECT ${keyTexts(table)}, octet_length(r::text)::varchar AS size FROM ${joined(table, keysOf(table, keys))}`.execute(
    db,
  )
  return new Map((rows as TextRow[]).map((row) => [keyOf(table, row), Number(row.size)]))
}

const keyTexts = ({ key }: MovedTable) =>
  select(Object.fromEntries(key.map((one) => [`k_${one.column}`, textOf(one)])))

/** Reads rows by their keys. */
export const readByKeys = async (
  db: Database,
  table: MovedTable,
  keys: readonly Key[],
): Promise<WholeRow[]> => {
  if (keys.length === 0) return []
  const { rows } = await sql`
    SELECT ${selectionOf(table)} FROM ${joined(table, keysOf(table, keys))}`.execute(db)
  return (rows as TextRow[]).map((row) => wholeRow(table, row))
}

/** The same on each engine, as the text forms of values are. */
const hashOf = ({ columns }: MovedTable): Sql =>
  sql`encode(sha256(convert_to(ROW(${refs(columns, 'r')})::text, 'UTF8')), 'hex')::varchar AS hash`

/** Reads the hashes of rows by their keys. */
export const hashesByKeys = async (
  db: Database,
  table: MovedTable,
  keys: readonly Key[],
): Promise<HashedRow[]> => {
  if (keys.length === 0) return []
  const { rows } = await sql`
    SELECT ${keyTexts(table)}, ${hashOf(table)} FROM ${joined(table, keysOf(table, keys))}`.execute(
    db,
  )
  return (rows as TextRow[]).map((row) => ({ key: keyOf(table, row), hash: row.hash ?? '' }))
}

/** Reads the hashes of rows in the order of keys: up to a key, to the end if it is null, or a number of them. */
export const hashesInRange = async (
  db: Database,
  table: MovedTable,
  after: Key | undefined,
  upTo: Key | null | undefined,
): Promise<HashedRow[]> => {
  const order = sql`ORDER BY ${refs(table.key)}`
  const most = upTo === undefined ? sql`LIMIT ${sql.lit(PAGE_ROWS)}` : sql``
  const { rows } = await sql`
    SELECT ${keyTexts(table)}, ${hashOf(table)} FROM (
      SELECT * FROM ${sql.table(table.name)} ${rangeOf(table, after, upTo ?? undefined)} ${order} ${most}
    ) AS r ${order}`.execute(db)
  return (rows as TextRow[]).map((row) => ({ key: keyOf(table, row), hash: row.hash ?? '' }))
}

/** Deletes rows by their keys. */
export const deleteByKeys = async (
  db: Database,
  table: MovedTable,
  keys: readonly Key[],
): Promise<void> => {
  if (keys.length === 0) return
  await sql`DELETE FROM ${sql.table(table.name)} AS r USING ${keysOf(table, keys)} WHERE ${sql.join(
    table.key.map(({ column }) => sql`r.${sql.ref(column)} = k.${sql.ref(column)}`),
    sql` AND `,
  )}`.execute(db)
}

/** Inserts rows as they were read. */
export const insertRows = async (
  db: Database,
  { name, columns }: MovedTable,
  lines: readonly string[],
): Promise<void> => {
  if (lines.length === 0) return
  // As texts, which PostgreSQL reads as it wrote them: JSON keeps its white space, and its null.
  const record = columns.map(({ column }) => sql`${sql.ref(column)} text`)
  const values = columns.map(({ column, type }) => sql`r.${sql.ref(column)}::${sql.raw(type)}`)
  await sql`
    INSERT INTO ${sql.table(name)} (${refs(columns)}) OVERRIDING SYSTEM VALUE
    SELECT ${sql.join(values)}
    FROM json_to_recordset(${new EscapedText(`[${lines.join(',')}]`)}::json) AS r (${sql.join(record)})`.execute(
    db,
  )
}
