import { sql } from 'kysely'
import type { Instant } from '../domain/instant.js'
import type { Database } from './database.js'

export interface ProjectRow {
  id: string
  name: string
}

/** The project that was created first; undefined in a new database. */
export const findFirstProject = async (db: Database): Promise<ProjectRow | undefined> => {
  const { rows } =
    await sql<ProjectRow>`SELECT id, name FROM projects ORDER BY created_at, id LIMIT 1`.execute(db)
  return rows[0]
}

export const insertProject = async (
  db: Database,
  project: ProjectRow & { createdAt: Instant },
): Promise<void> => {
  await sql`INSERT INTO projects (id, name, created_at)
    VALUES (${project.id}, ${project.name}, ${project.createdAt}::timestamptz)`.execute(db)
}

/** The project that a key belongs to, by the key's hash. */
export const findProjectByKey = async (db: Database, hash: string): Promise<string | undefined> => {
  const { rows } = await sql<{
    id: string
  }>`SELECT project_id AS id FROM api_keys WHERE hash = ${hash}`.execute(db)
  return rows[0]?.id
}

/** Names of the keys of a project. */
export const findKeyNames = async (db: Database, projectId: string): Promise<string[]> => {
  const { rows } = await sql<{
    name: string
  }>`SELECT name FROM api_keys WHERE project_id = ${projectId}`.execute(db)
  return rows.map((row) => row.name)
}

export const insertKey = async (
  db: Database,
  key: { hash: string; projectId: string; name: string; createdAt: Instant },
): Promise<void> => {
  await sql`INSERT INTO api_keys (hash, project_id, name, created_at)
    VALUES (${key.hash}, ${key.projectId}, ${key.name}, ${key.createdAt}::timestamptz)
    ON CONFLICT (hash) DO NOTHING`.execute(db)
}

export const deleteKeysNamed = async (
  db: Database,
  projectId: string,
  name: string,
): Promise<void> => {
  await sql`DELETE FROM api_keys WHERE project_id = ${projectId} AND name = ${name}`.execute(db)
}

/** A secret of the service, the same for all its processes: what is stored, or else `fresh`, which then is. */
export const ensureSecret = async (db: Database, name: string, fresh: string): Promise<string> => {
  await sql`INSERT INTO secrets (name, value) VALUES (${name}, ${fresh}) ON CONFLICT DO NOTHING`.execute(
    db,
  )
  const { rows } = await sql<{
    value: string
  }>`SELECT value FROM secrets WHERE name = ${name}`.execute(db)
  return rows[0]?.value ?? fresh
}
