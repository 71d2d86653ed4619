import { type Kysely, sql } from 'kysely'

/** A column, as in `server/generated/tables.ts`. */
export interface ColumnEntry {
  /** The name in rows: `threadId` for `thread_id`. */
  name: string
  column: string
  type: string
  isNullable?: true
  /** Has a value in new rows that name none. */
  hasDefault?: true
  /** Is computed by the database. */
  isGenerated?: true
}

/** Names of types in statements, where PostgreSQL's catalog has others. */
const NAMES: Readonly<Record<string, string>> = {
  int4: 'integer',
  int8: 'bigint',
  bool: 'boolean',
  _text: 'text[]',
}

/** Reads the columns of all tables in their order, without the migrator's own tables and views of extensions. */
export const readTables = async (
  db: Kysely<Record<string, never>>,
): Promise<Record<string, ColumnEntry[]>> => {
  const { rows } = await sql<{
    table: string
    column: string
    type: string
    isNullable: boolean
    hasDefault: boolean
    isGenerated: boolean
  }>`
    SELECT table_name::text AS table, column_name::text AS column, udt_name::text AS type,
      is_nullable = 'YES' AS "isNullable", column_default IS NOT NULL AS "hasDefault",
      is_generated = 'ALWAYS' AS "isGenerated"
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'kysely\\_%'
    ORDER BY table_name COLLATE "C", ordinal_position`.execute(db)
  const tables: Record<string, ColumnEntry[]> = {}
  for (const { table, column, type, isNullable, hasDefault, isGenerated } of rows) {
    tables[table] ??= []
    tables[table].push({
      name: column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      column,
      type: NAMES[type] ?? type,
      ...(isNullable && { isNullable }),
      ...(hasDefault && { hasDefault }),
      ...(isGenerated && { isGenerated }),
    })
  }
  return tables
}
