import { sql } from 'kysely'
import type { Instant } from '../domain/instant.js'
import type { Database } from './database.js'
import { json } from './parameters.js'

export interface ExperimentRow {
  id: string
  createdAt: Instant
  name: string
  datasetId: string | null
  promptExperimentId: string | null
  params: unknown
}

export interface ExperimentItemRow {
  id: string
  createdAt: Instant
  datasetExperimentId: string
  datasetItemId: string | null
  experimentRunId: string | null
  input: unknown
  output: unknown
}

export const insertExperiment = async (
  db: Database,
  projectId: string,
  experiment: ExperimentRow,
): Promise<void> => {
  await sql`
    INSERT INTO experiments (project_id, id, name, dataset_id, prompt_experiment_id, params, created_at)
    VALUES (${projectId}, ${experiment.id}, ${experiment.name}, ${experiment.datasetId},
      ${experiment.promptExperimentId}, ${json(experiment.params)}, ${experiment.createdAt}::timestamptz)`.execute(
    db,
  )
}

export const hasExperiment = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<boolean> => {
  const { rows } =
    await sql`SELECT id FROM experiments WHERE project_id = ${projectId} AND id = ${id}`.execute(db)
  return rows.length > 0
}

export const hasExperimentItem = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<boolean> => {
  const { rows } = await sql`
    SELECT id FROM experiment_items WHERE project_id = ${projectId} AND id = ${id}`.execute(db)
  return rows.length > 0
}

export const insertExperimentItem = async (
  db: Database,
  projectId: string,
  item: ExperimentItemRow,
): Promise<void> => {
  await sql`
    INSERT INTO experiment_items (project_id, id, experiment_id, dataset_item_id, experiment_run_id, input, output,
      created_at)
    VALUES (${projectId}, ${item.id}, ${item.datasetExperimentId}, ${item.datasetItemId}, ${item.experimentRunId},
      ${json(item.input)}, ${json(item.output)}, ${item.createdAt}::timestamptz)`.execute(db)
}
