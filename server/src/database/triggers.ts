import type { Database } from './database.js'
import { cast } from './rows/columns.js'
import { select, sql } from './rows/sql.js'

/** Returns true when a table has a trigger. Tables that are distributed over workers have none, or others. */
export const hasTrigger = async (db: Database, table: string, name: string): Promise<boolean> => {
  const { rows } = await sql`
    SELECT ${select({ name: cast('text', sql`tgname`) })} FROM pg_trigger
    WHERE tgrelid = ${table}::text::regclass AND tgname = ${name}`.execute(db)
  return rows.length > 0
}
