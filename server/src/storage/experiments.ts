import { sql } from 'kysely'
import type { Database } from '../database/database.js'
import { json } from '../database/parameters.js'
import type { Instant } from '../kernel/instant.js'
import { byValue, indexed, string } from '../lists/fields.js'
import type { Listing } from '../lists/listing.js'

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

const columns = sql`
  e.id, e.created_at AS "createdAt", e.name, e.dataset_id AS "datasetId",
  e.prompt_experiment_id AS "promptExperimentId", e.params`
const itemColumns = sql`
  x.id, x.created_at AS "createdAt", x.experiment_id AS "datasetExperimentId", x.dataset_item_id AS "datasetItemId",
  x.experiment_run_id AS "experimentRunId", x.input, x.output`

export const experimentListing: Listing = {
  table: sql`experiments`,
  alias: sql`e`,
  columns,
  id: sql`e.id`,
  projectId: sql`e.project_id`,
  createdAt: sql`e.created_at`,
  fields: {
    datasetId: {
      ...indexed(string(sql`e.dataset_id`), byValue(sql`e.dataset_id`)),
      isNullable: false,
    },
  },
  orders: { createdAt: { value: sql`e.created_at`, type: 'timestamptz', isIndexed: true } },
}

export const experimentItemListing: Listing = {
  table: sql`experiment_items`,
  alias: sql`x`,
  columns: itemColumns,
  id: sql`x.id`,
  projectId: sql`x.project_id`,
  createdAt: sql`x.created_at`,
  fields: {
    experimentId: {
      ...indexed(string(sql`x.experiment_id`), byValue(sql`x.experiment_id`)),
      isNullable: false,
    },
  },
  orders: { createdAt: { value: sql`x.created_at`, type: 'timestamptz', isIndexed: true } },
}

export const findExperiment = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<ExperimentRow | undefined> => {
  const { rows } = await sql<ExperimentRow>`
    SELECT ${columns} FROM experiments e WHERE e.project_id = ${projectId} AND e.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** Deletes an experiment with its results and their scores. Whether there was one. */
export const deleteExperiment = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<boolean> => {
  const { rows } = await sql`
    DELETE FROM experiments WHERE project_id = ${projectId} AND id = ${id} RETURNING id`.execute(db)
  if (rows.length === 0) return false
  const items = await sql<{ id: string }>`
    DELETE FROM experiment_items WHERE project_id = ${projectId} AND experiment_id = ${id} RETURNING id`.execute(
    db,
  )
  const ids = items.rows.map((row) => row.id)
  await sql`
    DELETE FROM scores WHERE project_id = ${projectId} AND dataset_experiment_item_id = ANY(${ids}::text[])
      AND step_id IS NULL`.execute(db)
  return true
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

/** Those of some ids that results of experiments have. */
export const findExperimentItemIds = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM experiment_items WHERE project_id = ${projectId} AND id = ANY(${ids}::text[])`.execute(
    db,
  )
  return rows.map(({ id }) => id)
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
