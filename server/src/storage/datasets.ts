import { sql } from 'kysely'
import type { Database } from '../database/database.js'
import { assignments, json } from '../database/parameters.js'
import type { Instant } from '../kernel/instant.js'
import { byValue, indexed, string } from '../lists/fields.js'
import type { Listing } from '../lists/listing.js'

export interface DatasetRow {
  id: string
  createdAt: Instant
  name: string
  description: string | null
  metadata: unknown
  type: 'key_value' | 'generation'
}

export interface DatasetItemRow {
  id: string
  createdAt: Instant
  datasetId: string
  stepId: string | null
  metadata: unknown
  input: unknown
  expectedOutput: unknown
  intermediarySteps: unknown
}

const columns = sql`d.id, d.created_at AS "createdAt", d.name, d.description, d.metadata, d.type`
const itemColumns = sql`
  i.id, i.created_at AS "createdAt", i.dataset_id AS "datasetId", i.step_id AS "stepId", i.metadata, i.input,
  i.expected_output AS "expectedOutput", i.intermediary_steps AS "intermediarySteps"`

export const datasetListing: Listing = {
  table: sql`datasets`,
  alias: sql`d`,
  columns,
  id: sql`d.id`,
  projectId: sql`d.project_id`,
  createdAt: sql`d.created_at`,
  fields: {},
  orders: { createdAt: { value: sql`d.created_at`, type: 'timestamptz', isIndexed: true } },
}

export const datasetItemListing: Listing = {
  table: sql`dataset_items`,
  alias: sql`i`,
  columns: itemColumns,
  id: sql`i.id`,
  projectId: sql`i.project_id`,
  createdAt: sql`i.created_at`,
  fields: {
    datasetId: {
      ...indexed(string(sql`i.dataset_id`), byValue(sql`i.dataset_id`)),
      isNullable: false,
    },
  },
  orders: { createdAt: { value: sql`i.created_at`, type: 'timestamptz', isIndexed: true } },
}

export const findDatasets = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<DatasetRow[]> => {
  const { rows } = await sql<DatasetRow>`
    SELECT ${columns} FROM datasets d WHERE d.project_id = ${projectId} AND d.id = ANY(${ids}::text[])`.execute(
    db,
  )
  return rows
}

export const findItemsById = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<DatasetItemRow[]> => {
  const { rows } = await sql<DatasetItemRow>`
    SELECT ${itemColumns} FROM dataset_items i WHERE i.project_id = ${projectId} AND i.id = ANY(${ids}::text[])`.execute(
    db,
  )
  return rows
}

/** Sets the columns that are given. Undefined when there is no such item. */
export const updateDatasetItem = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Record<string, unknown>,
): Promise<DatasetItemRow | undefined> => {
  const { rows } = await sql<DatasetItemRow>`
    UPDATE dataset_items i SET ${assignments(changes) ?? sql`id = id`}
    WHERE i.project_id = ${projectId} AND i.id = ${id} RETURNING ${itemColumns}`.execute(db)
  return rows[0]
}

export const findDataset = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<DatasetRow | undefined> => {
  const { rows } = await sql<DatasetRow>`
    SELECT ${columns} FROM datasets d WHERE d.project_id = ${projectId} AND d.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

export const findDatasetByName = async (
  db: Database,
  projectId: string,
  name: string,
): Promise<DatasetRow | undefined> => {
  const { rows } = await sql<DatasetRow>`
    SELECT ${columns} FROM datasets d
    WHERE d.project_id = ${projectId} AND md5(d.name) = md5(${name}) AND d.name = ${name}`.execute(
    db,
  )
  return rows[0]
}

/** Creates a dataset, unless the name is taken: then undefined. */
export const insertDataset = async (
  db: Database,
  projectId: string,
  dataset: DatasetRow,
): Promise<DatasetRow | undefined> => {
  const { rows } = await sql<DatasetRow>`
    INSERT INTO datasets AS d (project_id, id, name, description, metadata, type, created_at)
    VALUES (${projectId}, ${dataset.id}, ${dataset.name}, ${dataset.description}, ${json(dataset.metadata)},
      ${dataset.type}, ${dataset.createdAt}::timestamptz)
    ON CONFLICT DO NOTHING RETURNING ${columns}`.execute(db)
  return rows[0]
}

/** Sets the columns that are given. Undefined when there is no such dataset. */
export const updateDataset = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Record<string, unknown>,
): Promise<DatasetRow | undefined> => {
  const { rows } = await sql<DatasetRow>`
    UPDATE datasets d SET ${assignments(changes) ?? sql`id = id`}
    WHERE d.project_id = ${projectId} AND d.id = ${id} RETURNING ${columns}`.execute(db)
  return rows[0]
}

/** Deletes a dataset with its items; experiments on it stay, without a dataset. Undefined when there was none. */
export const deleteDataset = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<DatasetRow | undefined> => {
  const { rows } = await sql<DatasetRow>`
    DELETE FROM datasets d WHERE d.project_id = ${projectId} AND d.id = ${id} RETURNING ${columns}`.execute(
    db,
  )
  await sql`DELETE FROM dataset_items WHERE project_id = ${projectId} AND dataset_id = ${id}`.execute(
    db,
  )
  await sql`UPDATE experiments SET dataset_id = NULL WHERE project_id = ${projectId} AND dataset_id = ${id}`.execute(
    db,
  )
  return rows[0]
}

export const findDatasetItem = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<DatasetItemRow | undefined> => {
  const { rows } = await sql<DatasetItemRow>`
    SELECT ${itemColumns} FROM dataset_items i WHERE i.project_id = ${projectId} AND i.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** All items of a dataset, the oldest first. */
export const findDatasetItems = async (
  db: Database,
  projectId: string,
  datasetId: string,
): Promise<DatasetItemRow[]> => {
  const { rows } = await sql<DatasetItemRow>`
    SELECT ${itemColumns} FROM dataset_items i WHERE i.project_id = ${projectId} AND i.dataset_id = ${datasetId}
    ORDER BY i.created_at, i.id`.execute(db)
  return rows
}

export const insertDatasetItem = async (
  db: Database,
  projectId: string,
  item: DatasetItemRow,
): Promise<void> => {
  await sql`
    INSERT INTO dataset_items (project_id, id, dataset_id, step_id, metadata, input, expected_output,
      intermediary_steps, created_at)
    VALUES (${projectId}, ${item.id}, ${item.datasetId}, ${item.stepId}, ${json(item.metadata)}, ${json(item.input)},
      ${json(item.expectedOutput)}, ${json(item.intermediarySteps)}, ${item.createdAt}::timestamptz)`.execute(
    db,
  )
}

/** Undefined when there was none. */
export const deleteDatasetItem = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<DatasetItemRow | undefined> => {
  const { rows } = await sql<DatasetItemRow>`
    DELETE FROM dataset_items i WHERE i.project_id = ${projectId} AND i.id = ${id} RETURNING ${itemColumns}`.execute(
    db,
  )
  return rows[0]
}
