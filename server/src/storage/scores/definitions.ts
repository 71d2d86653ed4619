import type { Database } from '../../database/database.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { f } from '../../database/rows/tables.js'
import { valuesOf } from '../../database/rows/writes.js'

const columns = select({
  ...pick(f, 'name', 'description', 'min', 'max', 'isEnforced'),
  kind: f.kind.narrow<'NUMBER' | 'BOOLEAN' | 'CATEGORY'>(),
  labels: f.labels.narrow<{ value: number; label: string }[]>(),
  better: f.better.narrow<'HIGHER' | 'LOWER' | 'NONE'>(),
})

export type ScoreDefinitionRow = RowOf<typeof columns>

/** Lists definitions by name. */
export const listDefinitions = async (
  db: Database,
  projectId: string,
): Promise<ScoreDefinitionRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM score_definitions f WHERE f.project_id = ${projectId} ORDER BY f.name`.execute(
    db,
  )
  return rows
}

/** Returns the definitions of some names. */
export const findDefinitions = async (
  db: Database,
  projectId: string,
  names: readonly string[],
): Promise<ScoreDefinitionRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM score_definitions f
    WHERE f.project_id = ${projectId} AND f.name = ANY(${names}::text[])`.execute(db)
  return rows
}

export const putDefinition = async (
  db: Database,
  projectId: string,
  row: ScoreDefinitionRow,
): Promise<void> => {
  await sql`
    INSERT INTO score_definitions ${valuesOf('score_definitions', { projectId, ...row })}
    ON CONFLICT (project_id, name) DO UPDATE SET description = excluded.description, min = excluded.min,
      max = excluded.max, labels = excluded.labels, better = excluded.better, kind = excluded.kind,
      is_enforced = excluded.is_enforced`.execute(db)
}

/** Returns false when there was none. */
export const deleteDefinition = async (
  db: Database,
  projectId: string,
  name: string,
): Promise<boolean> => {
  const { rows } = await sql`
    DELETE FROM score_definitions WHERE project_id = ${projectId} AND name = ${name} RETURNING name`.execute(
    db,
  )
  return rows.length > 0
}
