import { sql } from 'kysely'
import type { Database } from '../../src/database/database.js'

/** Measures until nothing is left: a turn ends after a time, on a busy machine with little of it done. */
export const settle = async (rollups: { work(): Promise<boolean> }): Promise<void> => {
  while (await rollups.work());
}

/** Returns the number of rows that a project has in a table. */
export const countOf = async (db: Database, table: string, projectId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM ${sql.table(table)} WHERE project_id = ${projectId}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
