import type { Database } from '../database/database.js'
import { inSequence } from '../database/distribution/cluster.js'
import { cast } from '../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../database/rows/sql.js'
import { deletedProjects, g, o, u } from '../database/rows/tables.js'
import { valuesOf } from '../database/rows/writes.js'

/** Time after which no request stores anything of a project that was deleted: several times that of any request. */
const LATE_SECONDS = 600

const columns = select(pick(o, 'id', 'name', 'createdAt'))
export type ProjectRow = RowOf<typeof columns>

/** Returns the project that was created first; undefined in a new database. */
export const findFirstProject = async (db: Database): Promise<ProjectRow | undefined> => {
  const { rows } = await sql`
    SELECT ${columns} FROM projects o ORDER BY o.created_at, o.id LIMIT 1`.execute(db)
  return rows[0]
}

export const insertProject = async (db: Database, project: ProjectRow): Promise<void> => {
  await sql`INSERT INTO projects ${valuesOf('projects', project)}`.execute(db)
}

/** Lists all projects, oldest first. */
export const listProjects = async (db: Database): Promise<ProjectRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM projects o ORDER BY o.created_at, o.id`.execute(db)
  return rows
}

/** Returns the project with an id, or those with a name. */
export const findProject = async (db: Database, idOrName: string): Promise<ProjectRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM projects o
    WHERE o.id = ${idOrName} OR o.name = ${idOrName} ORDER BY o.id <> ${idOrName}, o.created_at`.execute(
    db,
  )
  return rows[0]?.id === idOrName ? rows.slice(0, 1) : rows
}

const deletedFile = select(pick(u, 'projectId', 'objectKey'))
export type DeletedFile = RowOf<typeof deletedFile>

/** Deletes the rows of some projects in every table but the audit log. Needs a transaction. Returns the files whose notes are gone. */
const deleteRows = async (db: Database, ids: readonly string[]): Promise<DeletedFile[]> => {
  if (ids.length === 0) return []
  const files = await sql`
    DELETE FROM files u WHERE u.project_id = ANY(${[...ids]}::text[]) RETURNING ${deletedFile}`.execute(
    db,
  )
  const { rows } = await sql`
    SELECT ${select({ name: cast('text', sql`table_name`) })} FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_name = 'project_id' AND table_name <> 'audit_entries'
    ORDER BY table_name`.execute(db)
  for (const { name } of rows)
    await sql`DELETE FROM ${sql.table(name)} WHERE project_id = ANY(${[...ids]}::text[])`.execute(
      db,
    )
  return files.rows
}

/**
 * Deletes a project and all its rows, and notes that. Needs a transaction. Returns its name, undefined when there was
 * none, and the files whose notes are gone with it.
 */
export const deleteProject = async (
  db: Database,
  id: string,
): Promise<{ name: string | undefined; files: DeletedFile[] }> => {
  await inSequence(db)
  const files = await deleteRows(db, [id])
  // A key that is made meanwhile refers to the project. From here on, others wait, and find none.
  await sql`SELECT ${select(pick(o, 'id'))} FROM projects o WHERE o.id = ${id} FOR UPDATE`.execute(
    db,
  )
  await sql`DELETE FROM api_keys WHERE project_id = ${id}`.execute(db)
  const deleted = await sql`
    DELETE FROM projects o WHERE o.id = ${id} RETURNING ${select(pick(o, 'name'))}`.execute(db)
  await sql`
    INSERT INTO deleted_projects (id, deleted_at) VALUES (${id}, clock_timestamp())
    ON CONFLICT (id) DO NOTHING`.execute(db)
  return { name: deleted.rows[0]?.name, files }
}

const noted = select(pick(deletedProjects, 'id'))

/** Lists the projects that were deleted lately. */
export const findDeletedProjects = async (db: Database): Promise<string[]> => {
  const { rows } = await sql`SELECT ${noted} FROM deleted_projects ORDER BY id`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Deletes again what some deleted projects have. Needs a transaction, until whose end none of them comes back. Those that
 * came back before it are left alone.
 */
export const deleteLateRows = async (
  db: Database,
  ids: readonly string[],
): Promise<DeletedFile[]> => {
  await inSequence(db)
  const { rows } = await sql`
    SELECT ${noted} FROM deleted_projects WHERE id = ANY(${[...ids]}::text[])
    ORDER BY id FOR UPDATE`.execute(db)
  return deleteRows(
    db,
    rows.map(({ id }) => id),
  )
}

/**
 * Forgets that a project was deleted, as it comes back, and deletes what it has of requests that were under way. Needs a
 * transaction.
 */
export const forgetDeletion = async (db: Database, id: string): Promise<DeletedFile[]> => {
  await inSequence(db)
  const { rows } = await sql`
    DELETE FROM deleted_projects WHERE id = ${id} RETURNING ${noted}`.execute(db)
  return deleteRows(
    db,
    rows.map((row) => row.id),
  )
}

/** Forgets the deleted projects that no request stores anything of any more. */
export const forgetDeletedProjects = async (db: Database): Promise<void> => {
  await sql`
    DELETE FROM deleted_projects
    WHERE deleted_at < clock_timestamp() - make_interval(secs => ${sql.lit(LATE_SECONDS)})`.execute(
    db,
  )
}

/**
 * Returns a secret of the service, the same for all its processes: the stored one, or else `fresh`, which it stores.
 */
export const ensureSecret = async (db: Database, name: string, fresh: string): Promise<string> => {
  await sql`INSERT INTO secrets ${valuesOf('secrets', { name, value: fresh })} ON CONFLICT DO NOTHING`.execute(
    db,
  )
  const { rows } = await sql`
    SELECT ${select(pick(g, 'value'))} FROM secrets g WHERE g.name = ${name}`.execute(db)
  return rows[0]?.value ?? fresh
}

/** Returns the bytes that the database takes; null if it does not tell. */
export const databaseBytes = async (db: Database): Promise<number | null> => {
  const bytes = cast('float8 | null', sql`pg_database_size(current_database())`)
  const { rows } = await sql`SELECT ${select({ bytes })}`.execute(db)
  return rows[0]?.bytes ?? null
}
