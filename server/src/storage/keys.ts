import { sql } from 'kysely'
import type { Database } from '../database/database.js'
import type { Instant } from '../kernel/instant.js'
import type { Scope } from '../kernel/scopes.js'

export interface KeyRow {
  id: string
  projectId: string
  name: string
  /** How the key begins; null for keys from before it was kept. */
  prefix: string | null
  scopes: Scope[]
  createdAt: Instant
  expiresAt: Instant | null
  lastUsedAt: Instant | null
  revokedAt: Instant | null
}

const columns = sql`
  k.id, k.project_id AS "projectId", k.name, k.prefix, to_json(k.scopes) AS scopes, k.created_at AS "createdAt",
  k.expires_at AS "expiresAt", k.last_used_at AS "lastUsedAt", k.revoked_at AS "revokedAt"`

export type StoredKey = KeyRow & { hash: string }

/** A key by the hash of what was given; undefined when there is none. */
export const findKey = async (db: Database, hash: string): Promise<StoredKey | undefined> => {
  const { rows } = await sql<StoredKey>`
    SELECT ${columns}, k.hash FROM api_keys k WHERE k.hash = ${hash}`.execute(db)
  return rows[0]
}

/** Keys by the hashes of what was given; those that there are. */
export const findKeys = async (db: Database, hashes: readonly string[]): Promise<StoredKey[]> => {
  const { rows } = await sql<StoredKey>`
    SELECT ${columns}, k.hash FROM api_keys k WHERE k.hash = ANY(${hashes}::text[])`.execute(db)
  return rows
}

/** A key by its id; undefined when the project has none with it. */
export const findKeyById = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<StoredKey | undefined> => {
  const { rows } = await sql<StoredKey>`
    SELECT ${columns}, k.hash FROM api_keys k WHERE k.project_id = ${projectId} AND k.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** The keys of a project, those that were revoked too, the oldest first. */
export const listKeys = async (db: Database, projectId: string): Promise<KeyRow[]> => {
  const { rows } = await sql<KeyRow>`
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
    INSERT INTO api_keys (hash, id, project_id, name, prefix, scopes, created_at, expires_at)
    VALUES (${key.hash}, ${key.id}, ${key.projectId}, ${key.name}, ${key.prefix}, ${key.scopes}::text[],
      ${key.createdAt}::timestamptz, ${key.expiresAt ?? null}::timestamptz)
    ON CONFLICT (hash) DO NOTHING`.execute(db)
}

/** Revokes a key of a project. Whether there was one that could be. */
export const revokeKey = async (
  db: Database,
  projectId: string,
  id: string,
  at: Instant,
): Promise<boolean> => {
  const { rows } = await sql`
    UPDATE api_keys SET revoked_at = ${at}::timestamptz
    WHERE project_id = ${projectId} AND id = ${id} AND revoked_at IS NULL RETURNING id`.execute(db)
  return rows.length > 0
}

export const deleteKeysNamed = async (
  db: Database,
  projectId: string,
  name: string,
): Promise<void> => {
  await sql`DELETE FROM api_keys WHERE project_id = ${projectId} AND name = ${name}`.execute(db)
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
