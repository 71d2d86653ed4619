import type { Database } from '../../database/database.js'
import { json } from '../../database/parameters.js'
import { columnsOf } from '../../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import type { MovedTable } from './plan.js'

const m = columnsOf('moves', 'm')
const columns = select(pick(m, 'role', 'state', 'token', 'place', 'until', 'progress'))
export type MoveRow = RowOf<typeof columns>

/** Serializes the begin of a switch with all transactions that have written. The guard takes it together with others. */
const GUARD = `hashtext('stepwell move')`
const GUARD_WAIT = '2s'

/** Returns the move that a database takes part in; undefined when there is none. */
export const findMove = async (db: Database): Promise<MoveRow | undefined> => {
  const { rows } = await sql`SELECT ${columns} FROM moves m WHERE m.id = 'move'`.execute(db)
  return rows[0]
}

/** Notes the part that a database takes in a move. */
export const saveMove = async (
  db: Database,
  {
    role,
    state,
    token,
    place,
    progress,
  }: { role: string; state: string; token: string; place: string; progress?: unknown },
): Promise<void> => {
  await sql`
    INSERT INTO moves (id, role, state, token, place, progress)
    VALUES ('move', ${role}, ${state}, ${token}, ${place}, ${json(progress)})
    ON CONFLICT (id) DO UPDATE SET role = excluded.role, state = excluded.state, token = excluded.token,
      place = excluded.place, progress = excluded.progress, until = NULL`.execute(db)
}

/** The process that works on a move: of two that open the same one, the later goes on. */
export interface Runner {
  token: string
  runner: string
}

/**
 * Notes in the database that is moved to how far a runner has come. Returns false when another one writes there now. Needs
 * a transaction, and keeps others from writing there until it ends.
 */
export const noteProgress = async (
  db: Database,
  { token, runner }: Runner,
  { state, place }: { state: 'copying' | 'proved'; place: unknown },
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    UPDATE moves SET state = ${state}, progress = ${json({ place, runner })}
    WHERE id = 'move' AND role = 'target' AND token = ${token} AND progress ->> 'runner' = ${runner}`.execute(
    db,
  )
  return numAffectedRows === 1n
}

/** Takes a move over from the runner that it had. Returns false when the move is over. Needs a transaction. */
export const takeOver = async (
  db: Database,
  { token, runner }: Runner,
  place: unknown,
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    UPDATE moves SET state = 'copying', progress = ${json({ place, runner })}
    WHERE id = 'move' AND role = 'target' AND token = ${token}`.execute(db)
  return numAffectedRows === 1n
}

/** Makes the database that was moved to one that is served. Returns false when another move writes there now. */
export const leaveTarget = async (db: Database, { token, runner }: Runner): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    DELETE FROM moves WHERE role = 'target' AND token = ${token} AND progress ->> 'runner' = ${runner}`.execute(
    db,
  )
  return numAffectedRows === 1n
}

export const removeMove = async (db: Database): Promise<void> => {
  await sql`DELETE FROM moves`.execute(db)
}

/** Refuses all writes for a time, after those that are under way. */
export const beginSwitch = async (db: Database, token: string, ms: number): Promise<void> => {
  await db.transaction().execute(async (transaction) => {
    await sql.raw(`SET LOCAL lock_timeout = '${GUARD_WAIT}'`).execute(transaction)
    await sql.raw(`SELECT pg_advisory_xact_lock(${GUARD})`).execute(transaction)
    await sql`UPDATE moves SET state = 'switching', until = clock_timestamp() + ${`${ms} ms`}::interval
      WHERE id = 'move' AND role = 'source' AND token = ${token}`.execute(transaction)
  })
}

/** Accepts writes again. */
export const endSwitch = async (db: Database, token: string): Promise<void> => {
  await sql`UPDATE moves SET state = 'copying', until = NULL
    WHERE id = 'move' AND role = 'source' AND token = ${token}`.execute(db)
}

/** Refuses all writes from now on. Returns false when they were accepted again meanwhile. */
export const completeSwitch = async (db: Database, token: string): Promise<boolean> => {
  const { rows } = await sql`UPDATE moves m SET state = 'moved', until = NULL
    WHERE m.id = 'move' AND m.role = 'source' AND m.token = ${token} AND m.state = 'switching' AND m.until > clock_timestamp()
    RETURNING ${select(pick(m, 'state'))}`.execute(db)
  return rows.length > 0
}

const execute = (db: Database, text: string) => sql.raw(text).execute(db)

/** Reads the foreign keys of a database, by their definitions. */
const foreignKeys = async (
  db: Database,
): Promise<{ table: string; name: string; definition: string }[]> => {
  const { rows } = await sql`
    SELECT conrelid::regclass::varchar AS "table", conname::varchar AS name, pg_get_constraintdef(oid)::varchar AS definition
    FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`.execute(
    db,
  )
  return rows as unknown as { table: string; name: string; definition: string }[]
}

/** Makes a database take rows in any order, and as they are: without triggers and foreign keys. Needs a transaction. */
export const openForRows = async (db: Database, tables: readonly MovedTable[]): Promise<void> => {
  for (const { name } of tables) await execute(db, `ALTER TABLE ${name} DISABLE TRIGGER USER`)
  for (const { table, name } of await foreignKeys(db))
    await execute(db, `ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
}

export const emptyTables = async (db: Database, tables: readonly MovedTable[]): Promise<void> => {
  await execute(db, `TRUNCATE ${tables.map(({ name }) => name).join(', ')}`)
}

/** Makes it a database of a service again, with the foreign keys of another one. Needs a transaction. */
export const closeForRows = async (
  db: Database,
  tables: readonly MovedTable[],
  like: Database,
): Promise<void> => {
  for (const { name } of tables) await execute(db, `ALTER TABLE ${name} ENABLE TRIGGER USER`)
  const there = new Set((await foreignKeys(db)).map(({ name }) => name))
  for (const { table, name, definition } of await foreignKeys(like))
    if (!there.has(name))
      await execute(db, `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
  for (const name of ['rollup_marks', 'participant_marks'])
    await execute(
      db,
      `SELECT setval(pg_get_serial_sequence('${name}', 'id'), coalesce((SELECT max(id) FROM ${name}), 0) + 1)`,
    )
  // Transactions have other numbers here; all that came before are in.
  await sql`UPDATE content_states SET since = pg_current_xact_id()::text::bigint WHERE since IS NOT NULL`.execute(
    db,
  )
}
