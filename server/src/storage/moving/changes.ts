import type { Database } from '../../database/database.js'
import { select, sql } from '../../database/rows/sql.js'
import type { MovedTable } from './plan.js'

const EVENTS = {
  insert: 'NEW TABLE AS new_rows',
  update: 'OLD TABLE AS old_rows NEW TABLE AS new_rows',
  delete: 'OLD TABLE AS old_rows',
}

/** Begins to note the keys of all rows that are written. Needs a transaction. */
export const noteWrites = async (db: Database, tables: readonly MovedTable[]): Promise<void> => {
  await ignoreWrites(db, tables)
  for (const { name, key } of tables) {
    const columns = key.map(({ column }) => column)
    const texts = columns.map((column) => `${column}::text`).join(', ')
    for (const [event, rows] of Object.entries(EVENTS))
      await sql
        .raw(
          `CREATE TRIGGER move_note_${event} AFTER ${event} ON ${name} REFERENCING ${rows}
          FOR EACH STATEMENT EXECUTE FUNCTION move_note_${event}('${texts}', '${columns.join(', ')}')`,
        )
        .execute(db)
    await sql
      .raw(
        `CREATE TRIGGER move_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${name}
        FOR EACH STATEMENT EXECUTE FUNCTION move_guard()`,
      )
      .execute(db)
  }
}

/** Ends that, and forgets what was noted. Needs a transaction. */
export const ignoreWrites = async (db: Database, tables: readonly MovedTable[]): Promise<void> => {
  for (const { name } of tables)
    for (const trigger of ['move_guard', ...Object.keys(EVENTS).map((one) => `move_note_${one}`)])
      await sql`DROP TRIGGER IF EXISTS ${sql.ref(trigger)} ON ${sql.table(name)}`.execute(db)
  await sql`TRUNCATE move_changes`.execute(db)
}

/** A row that was written since a move began. */
export interface Change {
  id: string
  table: string
  /** The primary key, as a JSON array of texts. */
  key: string
}

/** Reads the oldest changes that were noted. */
export const readChanges = async (db: Database, most: number): Promise<Change[]> => {
  const { rows } = await sql`
    SELECT id::varchar AS id, name::varchar AS "table", key::varchar AS key
    FROM move_changes ORDER BY id LIMIT ${sql.lit(most)}`.execute(db)
  return rows as unknown as Change[]
}

/** Counts what was noted, up to a number. */
export const countChanges = async (db: Database, most: number): Promise<number> => {
  const { rows } = await sql`
    SELECT ${select({ count: sql`count(*)::varchar` })}
    FROM (SELECT 1 FROM move_changes LIMIT ${sql.lit(most)}) AS c`.execute(db)
  return Number((rows[0] as { count?: string } | undefined)?.count ?? 0)
}

/** Forgets changes that the other database has. Others may be noted meanwhile, with lower numbers too. */
export const forgetChanges = async (db: Database, changes: readonly Change[]): Promise<void> => {
  if (changes.length === 0) return
  await sql`DELETE FROM move_changes WHERE id = ANY(${changes.map(({ id }) => id)}::bigint[])`.execute(
    db,
  )
}
