import type { Database } from '../database/database.js'
import { pick, type RowOf, select, sql } from '../database/rows/sql.js'
import { e, x } from '../database/rows/tables.js'
import { valuesOf } from '../database/rows/writes.js'
import { byValue, indexed, string } from '../lists/fields.js'
import type { Listing } from '../lists/listing.js'

const columns = select(
  pick(e, 'id', 'createdAt', 'name', 'datasetId', 'promptExperimentId', 'params'),
)
const itemColumns = select({
  ...pick(x, 'id', 'createdAt', 'datasetItemId', 'experimentRunId', 'input', 'output'),
  datasetExperimentId: x.experimentId,
})

export type ExperimentRow = RowOf<typeof columns>
export type ExperimentItemRow = RowOf<typeof itemColumns>

export const experimentListing: Listing<ExperimentRow> = {
  table: sql`experiments`,
  alias: sql`e`,
  columns,
  id: e.id,
  projectId: e.projectId,
  createdAt: e.createdAt,
  fields: {
    datasetId: {
      ...indexed(string(e.datasetId), byValue(e.datasetId)),
      isNullable: false,
    },
  },
  orders: { createdAt: { value: e.createdAt, type: 'timestamptz', isIndexed: true } },
}

export const experimentItemListing: Listing<ExperimentItemRow> = {
  table: sql`experiment_items`,
  alias: sql`x`,
  columns: itemColumns,
  id: x.id,
  projectId: x.projectId,
  createdAt: x.createdAt,
  fields: {
    experimentId: {
      ...indexed(string(x.experimentId), byValue(x.experimentId)),
      isNullable: false,
    },
  },
  orders: { createdAt: { value: x.createdAt, type: 'timestamptz', isIndexed: true } },
}

export const findExperiment = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<ExperimentRow | undefined> => {
  const { rows } = await sql`
    SELECT ${columns} FROM experiments e WHERE e.project_id = ${projectId} AND e.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** Deletes an experiment with its results and their scores. Returns false when there was none. */
export const deleteExperiment = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<boolean> => {
  const { rows } = await sql`
    DELETE FROM experiments WHERE project_id = ${projectId} AND id = ${id} RETURNING id`.execute(db)
  if (rows.length === 0) return false
  const items = await sql`
    DELETE FROM experiment_items x WHERE x.project_id = ${projectId} AND x.experiment_id = ${id}
    RETURNING ${select(pick(x, 'id'))}`.execute(db)
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
    INSERT INTO experiments ${valuesOf('experiments', { projectId, ...experiment })}`.execute(db)
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

/** Returns those of some ids that belong to results of experiments. */
export const findExperimentItemIds = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(x, 'id'))} FROM experiment_items x
    WHERE x.project_id = ${projectId} AND x.id = ANY(${ids}::text[])`.execute(db)
  return rows.map(({ id }) => id)
}

export const insertExperimentItem = async (
  db: Database,
  projectId: string,
  { datasetExperimentId, ...item }: ExperimentItemRow,
): Promise<void> => {
  const row = { projectId, experimentId: datasetExperimentId, ...item }
  await sql`
    INSERT INTO experiment_items ${valuesOf('experiment_items', row)}`.execute(db)
}
