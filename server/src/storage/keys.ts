import type { Database } from '../database/database.js'
import { pick, type RowOf, select, sql } from '../database/rows/sql.js'
import { k } from '../database/rows/tables.js'
import { valuesOf } from '../database/rows/writes.js'
import type { Instant } from '../kernel/instant.js'
import type { Scope } from '../kernel/scopes.js'

const columns = select({
  ...pick(k, 'id', 'projectId', 'name', 'createdAt', 'expiresAt', 'lastUsedAt', 'revokedAt'),
  scopes: k.scopes.narrow<Scope[]>(),
  /** The first characters of the key; null for keys from before they were stored. */
  prefix: k.prefix,
})

const storedColumns = columns.and(select(pick(k, 'hash')))

export type KeyRow = RowOf<typeof columns>
export type StoredKey = RowOf<typeof storedColumns>

/** Returns a key by its hash; undefined when there is none. */
export const findKey = async (db: Database, hash: string): Promise<StoredKey | undefined> => {
  const { rows } = await sql`
    SELECT ${storedColumns} FROM api_keys k WHERE k.hash = ${hash}`.execute(db)
  return rows[0]
}

/** Returns the existing keys among some hashes. */
export const findKeys = async (db: Database, hashes: readonly string[]): Promise<StoredKey[]> => {
  const { rows } = await sql`
    SELECT ${storedColumns} FROM api_keys k WHERE k.hash = ANY(${hashes}::text[])`.execute(db)
  return rows
}

/** Returns a key by its id; undefined when the project has none with it. */
export const findKeyById = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<StoredKey | undefined> => {
  const { rows } = await sql`
    SELECT ${storedColumns} FROM api_keys k WHERE k.project_id = ${projectId} AND k.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** Lists the keys of a project, revoked ones included, oldest first. */
export const listKeys = async (db: Database, projectId: string): Promise<KeyRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM api_keys k WHERE k.project_id = ${projectId} ORDER BY k.created_at, k.id`.execute(
    db,
  )
  return rows
}

export const insertKey = async (
  db: Database,
  key: Pick<KeyRow, 'id' | 'projectId' | 'name' | 'scopes' | 'createdAt'> & {
    hash: string
    prefix: string
    expiresAt?: Instant | undefined
  },
): Promise<void> => {
  await sql`
    INSERT INTO api_keys ${valuesOf('api_keys', key)}
    ON CONFLICT (hash) DO NOTHING`.execute(db)
}

/** Revokes a key of a project. Returns its name; undefined when there is none with this id that is not revoked yet. */
export const revokeKey = async (
  db: Database,
  projectId: string,
  id: string,
  at: Instant,
): Promise<string | undefined> => {
  const { rows } = await sql`
    UPDATE api_keys k SET revoked_at = ${at}::timestamptz
    WHERE k.project_id = ${projectId} AND k.id = ${id} AND k.revoked_at IS NULL
    RETURNING ${select(pick(k, 'name'))}`.execute(db)
  return rows[0]?.name
}

/** Deletes the keys of a name. Returns their ids. */
export const deleteKeysNamed = async (
  db: Database,
  projectId: string,
  name: string,
): Promise<string[]> => {
  const { rows } = await sql`
    DELETE FROM api_keys k WHERE k.project_id = ${projectId} AND k.name = ${name}
    RETURNING ${select(pick(k, 'id'))}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Deletes the keys of a name that have expired. */
export const deleteExpiredKeys = async (
  db: Database,
  projectId: string,
  name: string,
  now: Instant,
): Promise<void> => {
  await sql`DELETE FROM api_keys
    WHERE project_id = ${projectId} AND name = ${name} AND expires_at < ${now}::timestamptz`.execute(
    db,
  )
}

export const noteUse = async (db: Database, hash: string, at: Instant): Promise<void> => {
  await sql`UPDATE api_keys SET last_used_at = ${at}::timestamptz WHERE hash = ${hash}`.execute(db)
}
