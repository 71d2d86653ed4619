import { sql } from 'kysely'
import type { Database } from '../../database/database.js'
import { json } from '../../database/parameters.js'

export interface ScoreDefinitionRow {
  name: string
  description: string | null
  min: number | null
  max: number | null
  labels: { value: number; label: string }[]
  better: 'HIGHER' | 'LOWER' | 'NONE'
}

const columns = sql`f.name, f.description, f.min, f.max, f.labels, f.better`

/** By name. */
export const listDefinitions = async (
  db: Database,
  projectId: string,
): Promise<ScoreDefinitionRow[]> => {
  const { rows } = await sql<ScoreDefinitionRow>`
    SELECT ${columns} FROM score_definitions f WHERE f.project_id = ${projectId} ORDER BY f.name`.execute(
    db,
  )
  return rows
}

export const putDefinition = async (
  db: Database,
  projectId: string,
  row: ScoreDefinitionRow,
): Promise<void> => {
  await sql`
    INSERT INTO score_definitions (project_id, name, description, min, max, labels, better)
    VALUES (${projectId}, ${row.name}, ${row.description}, ${row.min}::float8, ${row.max}::float8, ${json(row.labels)},
      ${row.better})
    ON CONFLICT (project_id, name) DO UPDATE SET description = excluded.description, min = excluded.min,
      max = excluded.max, labels = excluded.labels, better = excluded.better`.execute(db)
}

/** Whether there was one. */
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
