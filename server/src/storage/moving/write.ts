import type { Database } from '../../database/database.js'
import { EscapedText } from '../../database/parameters.js'
import type { Definition } from '../../database/rows/columns.js'
import { type Sql, sql } from '../../database/rows/sql.js'
import { JSON_NULLS } from './line.js'
import type { MovedTable } from './plan.js'

/** Columns that an archive leaves out, and that can't be without a value. */
const INITIAL: Partial<Record<MovedTable['name'], Record<string, string>>> = {
  // Nothing can be called without its URL, until somebody sets it again.
  alerts: { sealed_url: `''`, sealed_secret: `''` },
  // Sums are computed by the mark.
  threads: { stale: 'true' },
}

const listOf = (columns: readonly string[]): Sql => sql.join(columns.map((name) => sql.ref(name)))

/** The value of a column in a record; a JSON null, which a record of JSON can't hold, is named apart. */
const storedValue = ({ column, type }: Definition, hasNulls: boolean): Sql =>
  hasNulls && type === 'json'
    ? sql`coalesce(r.${sql.ref(column)}, CASE WHEN ${sql.raw(`'${column}'`)} = ANY(r.${sql.ref(JSON_NULLS)}) THEN 'null'::json END)`
    : sql`r.${sql.ref(column)}`

/**
 * Inserts the rows of some lines of an archive, which have these columns. Needs a transaction.
 *
 * @param given - The columns that the archive has for the table.
 */
export const insertLines = async (
  db: Database,
  projectId: string,
  table: MovedTable,
  given: ReadonlySet<string>,
  lines: readonly string[],
): Promise<void> => {
  if (lines.length === 0) return
  const columns = table.columns.filter(({ column }) => given.has(column))
  const records = `[${lines.join(',')}]`
  const hasNulls = records.includes(`"${JSON_NULLS}":[`)
  const record = [
    ...columns.map(({ column, type }) => sql`${sql.ref(column)} ${sql.raw(type)}`),
    ...(hasNulls ? [sql`${sql.ref(JSON_NULLS)} text[]`] : []),
  ]
  const initial = Object.entries(INITIAL[table.name] ?? {})
  await sql`
    INSERT INTO ${sql.table(table.name)}
      (${listOf(['project_id', ...columns.map(({ column }) => column), ...initial.map(([name]) => name)])})
    SELECT ${sql.join([sql`${projectId}`, ...columns.map((one) => storedValue(one, hasNulls)), ...initial.map(([, value]) => sql.raw(value))])}
    FROM json_to_recordset(${new EscapedText(records)}::json) AS r (${sql.join(record)})`.execute(
    db,
  )
}
