import type { Database } from '../../database/database.js'
import { EscapedText } from '../../database/parameters.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { o } from '../../database/rows/tables.js'
import { MOVED } from './plan.js'

const columns = select(
  pick(o, 'id', 'name', 'importedArchive', 'importedBytes', 'isImportComplete'),
)
type ImportState = RowOf<typeof columns>

/** Returns the project of an id with what is known of its import; undefined when there is none. */
export const findImport = async (
  db: Database,
  projectId: string,
): Promise<ImportState | undefined> => {
  const { rows } = await sql`
    SELECT ${columns} FROM projects o WHERE o.id = ${projectId}`.execute(db)
  return rows[0]
}

/** Creates the project of an import from its line in the archive. */
export const insertImport = async (
  db: Database,
  project: { id: string; name: string; archive: string; bytes: number },
  line: string,
): Promise<void> => {
  const moved = MOVED.find(({ name }) => name === 'projects')?.columns ?? []
  const names = sql.join(moved.map(({ column }) => sql.ref(column)))
  const record = sql.join(moved.map(({ column, type }) => sql`${sql.ref(column)} ${sql.raw(type)}`))
  await sql`
    INSERT INTO projects (id, name, imported_archive, imported_bytes, is_import_complete, ${names})
    SELECT ${project.id}, ${project.name}, ${project.archive}, ${project.bytes}::bigint, false, ${names}
    FROM json_to_record(${new EscapedText(line)}::json) AS r (${record})`.execute(db)
}

/**
 * Moves the place up to which an archive is imported. Returns false when another process moved it, or the project is
 * gone. Needs a transaction.
 */
export const moveImport = async (
  db: Database,
  projectId: string,
  { archive, from, to }: { archive: string; from: number; to: number },
): Promise<boolean> => {
  const { rows } = await sql`
    UPDATE projects o SET imported_bytes = ${to}::bigint
    WHERE o.id = ${projectId} AND o.imported_archive = ${archive} AND o.imported_bytes = ${from}::bigint
      AND NOT o.is_import_complete
    RETURNING ${select(pick(o, 'id'))}`.execute(db)
  return rows.length > 0
}

/** Completes an import: from now on its files are checked for references. Needs a transaction. */
export const completeImport = async (db: Database, projectId: string): Promise<void> => {
  await sql`UPDATE projects SET is_import_complete = true WHERE id = ${projectId}`.execute(db)
  await sql`UPDATE files SET check_at = now() + interval '1 day'
    WHERE project_id = ${projectId} AND check_at IS NULL`.execute(db)
}
