import { sql } from 'kysely'
import type { Database } from '../database/database.js'
import { inSequence } from '../database/distribution.js'
import type { Instant } from '../kernel/instant.js'

export interface ProjectRow {
  id: string
  name: string
  createdAt: Instant
}

/** The project that was created first; undefined in a new database. */
export const findFirstProject = async (db: Database): Promise<ProjectRow | undefined> => {
  const { rows } =
    await sql<ProjectRow>`SELECT id, name, created_at AS "createdAt" FROM projects ORDER BY created_at, id LIMIT 1`.execute(
      db,
    )
  return rows[0]
}

export const insertProject = async (db: Database, project: ProjectRow): Promise<void> => {
  await sql`INSERT INTO projects (id, name, created_at)
    VALUES (${project.id}, ${project.name}, ${project.createdAt}::timestamptz)`.execute(db)
}

/** All projects, the oldest first. */
export const listProjects = async (db: Database): Promise<ProjectRow[]> => {
  const { rows } = await sql<ProjectRow>`
    SELECT id, name, created_at AS "createdAt" FROM projects ORDER BY created_at, id`.execute(db)
  return rows
}

/** The project with an id, or those with a name. */
export const findProject = async (db: Database, idOrName: string): Promise<ProjectRow[]> => {
  const { rows } = await sql<ProjectRow>`
    SELECT id, name, created_at AS "createdAt" FROM projects
    WHERE id = ${idOrName} OR name = ${idOrName} ORDER BY id <> ${idOrName}, created_at`.execute(db)
  return rows[0]?.id === idOrName ? rows.slice(0, 1) : rows
}

/** Deletes a project and all rows that are its own, in whatever tables there are. Needs a transaction. */
export const deleteProject = async (db: Database, id: string): Promise<void> => {
  await inSequence(db)
  const { rows } = await sql<{ name: string }>`
    SELECT table_name::text AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_name = 'project_id' ORDER BY table_name`.execute(
    db,
  )
  for (const { name } of rows)
    await sql`DELETE FROM ${sql.table(name)} WHERE project_id = ${id}`.execute(db)
  await sql`DELETE FROM projects WHERE id = ${id}`.execute(db)
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

/** How much the database takes; null where it does not tell. */
export const databaseBytes = async (db: Database): Promise<number | null> => {
  const { rows } = await sql<{
    bytes: number | null
  }>`SELECT pg_database_size(current_database())::float8 AS bytes`.execute(db)
  return rows[0]?.bytes ?? null
}
