import type { Database } from '../database/database.js'
import { EscapedText } from '../database/parameters.js'
import { insertion } from '../database/rows/insertion.js'
import { pick, type RowOf, select, sql } from '../database/rows/sql.js'
import { d, i } from '../database/rows/tables.js'
import { assignments, type Changes, valuesOf } from '../database/rows/writes.js'
import { encodeJson } from '../database/text.js'
import { claimParts, keepParts, lockAlone, lockShared } from '../database/transactions/locks.js'
import { byValue, indexed, string } from '../lists/fields.js'
import { inPrecedence, type Listing } from '../lists/listing.js'
import { readInPortions } from '../lists/portions.js'
import { asStored, type ItemOrigin, itemOrigin } from './erasure/notes.js'

const columns = select({
  ...pick(d, 'id', 'createdAt', 'name', 'description', 'metadata'),
  type: d.type.narrow<'key_value' | 'generation'>(),
})
const itemColumns = select(
  pick(
    i,
    'id',
    'createdAt',
    'datasetId',
    'stepId',
    'metadata',
    'input',
    'expectedOutput',
    'intermediarySteps',
  ),
)

export type DatasetRow = RowOf<typeof columns>
export type DatasetItemRow = RowOf<typeof itemColumns>

export const datasetListing: Listing<DatasetRow> = {
  name: 'datasets',
  table: sql`datasets`,
  alias: sql`d`,
  columns,
  id: d.id,
  projectId: d.projectId,
  createdAt: d.createdAt,
  fields: {},
  orders: { createdAt: { value: d.createdAt, type: 'timestamptz', isIndexed: true } },
}

export const datasetItemListing: Listing<DatasetItemRow> = {
  name: 'datasetItems',
  table: sql`dataset_items`,
  alias: sql`i`,
  columns: itemColumns,
  id: i.id,
  projectId: i.projectId,
  createdAt: i.createdAt,
  fields: inPrecedence({
    datasetId: {
      ...indexed(string(i.datasetId), byValue(i.datasetId)),
      isNullable: false,
    },
  }),
  orders: { createdAt: { value: i.createdAt, type: 'timestamptz', isIndexed: true } },
}

export const findDatasets = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<DatasetRow[]> => {
  const { rows } = await sql`
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
  const { rows } = await sql`
    SELECT ${itemColumns} FROM dataset_items i WHERE i.project_id = ${projectId} AND i.id = ANY(${ids}::text[])`.execute(
    db,
  )
  return rows
}

/** Updates the given columns. Returns undefined when there is no such item. */
export const updateDatasetItem = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Changes<'dataset_items'>,
): Promise<DatasetItemRow | undefined> => {
  const { rows } = await sql`
    UPDATE dataset_items i SET ${assignments('dataset_items', changes) ?? sql`id = id`}
    WHERE i.project_id = ${projectId} AND i.id = ${id} RETURNING ${itemColumns}`.execute(db)
  return rows[0]
}

export const findDataset = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<DatasetRow | undefined> => {
  const { rows } = await sql`
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
  const { rows } = await sql`
    SELECT ${columns} FROM datasets d
    WHERE d.project_id = ${projectId} AND md5(d.name) = md5(${name}) AND d.name = ${name}`.execute(
    db,
  )
  return rows[0]
}

/** Returns a dataset, and keeps it from being deleted until the transaction ends. */
export const keepDataset = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<DatasetRow | undefined> => {
  await lockShared(db, 'dataset', projectId, [id])
  return findDataset(db, projectId, id)
}

/** Creates a dataset. Returns undefined when the name is taken. */
export const insertDataset = async (
  db: Database,
  projectId: string,
  dataset: DatasetRow,
): Promise<DatasetRow | undefined> => {
  const { rows } = await sql`
    INSERT INTO datasets AS d ${valuesOf('datasets', { projectId, ...dataset })}
    ON CONFLICT DO NOTHING RETURNING ${columns}`.execute(db)
  return rows[0]
}

/** Updates the given columns. Returns undefined when there is no such dataset. */
export const updateDataset = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Changes<'datasets'>,
): Promise<DatasetRow | undefined> => {
  const { rows } = await sql`
    UPDATE datasets d SET ${assignments('datasets', changes) ?? sql`id = id`}
    WHERE d.project_id = ${projectId} AND d.id = ${id} RETURNING ${columns}`.execute(db)
  return rows[0]
}

/**
 * Deletes a dataset with its items; experiments on it stay, without a dataset. Returns undefined when there was none.
 */
export const deleteDataset = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<{ dataset: DatasetRow; items: ItemOrigin[] } | undefined> => {
  await lockAlone(db, 'dataset', projectId, [id])
  const { rows } = await sql`
    DELETE FROM datasets d WHERE d.project_id = ${projectId} AND d.id = ${id} RETURNING ${columns}`.execute(
    db,
  )
  const items = await sql`
    DELETE FROM dataset_items i WHERE i.project_id = ${projectId} AND i.dataset_id = ${id}
    RETURNING ${itemOrigin}`.execute(db)
  await sql`UPDATE experiments SET dataset_id = NULL WHERE project_id = ${projectId} AND dataset_id = ${id}`.execute(
    db,
  )
  return rows[0] && { dataset: rows[0], items: items.rows }
}

export const findDatasetItem = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<DatasetItemRow | undefined> => {
  const { rows } = await sql`
    SELECT ${itemColumns} FROM dataset_items i WHERE i.project_id = ${projectId} AND i.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** Returns all items of a dataset, oldest first. */
export const findDatasetItems = async (
  db: Database,
  projectId: string,
  datasetId: string,
): Promise<DatasetItemRow[]> => {
  const { rows: all } = await sql`
    SELECT ${select(pick(i, 'id'))} FROM dataset_items i
    WHERE i.project_id = ${projectId} AND i.dataset_id = ${datasetId}
    ORDER BY i.created_at, i.id`.execute(db)
  const read = await readInPortions(all.length, async (from, count) => {
    const ids = all.slice(from, from + count).map(({ id }) => id)
    const found = new Map((await findItemsById(db, projectId, ids)).map((row) => [row.id, row]))
    return ids.map((id) => found.get(id))
  })
  return read.filter((row) => row !== undefined)
}

const inserting = insertion({
  into: 'dataset_items',
  columns: [
    ...['project_id', 'id', 'created_at', 'dataset_id', 'step_id', 'metadata', 'input'],
    ...['expected_output', 'intermediary_steps', 'noted_participants'],
  ],
  after: '',
})
const jsonOf = (value: unknown) =>
  value === null || value === undefined ? null : new EscapedText(encodeJson(value))

/** Stores items, each with the participants whose data it has. */
export const insertDatasetItems = async (
  db: Database,
  projectId: string,
  items: readonly (DatasetItemRow & { participants: readonly string[] })[],
): Promise<void> => {
  await inserting.run(
    db,
    items.map(({ participants, ...item }) => [
      ...[projectId, item.id, item.createdAt, item.datasetId, item.stepId],
      ...[item.metadata, item.input, item.expectedOutput, item.intermediarySteps].map(jsonOf),
      participants.length === 0 ? null : participants,
    ]),
  )
}

const findParts = async (db: Database, projectId: string, ids: readonly string[]) => {
  const { rows } = await sql`
    SELECT ${select({ id: i.id, owner: i.datasetId })} FROM dataset_items i
    WHERE i.project_id = ${projectId} AND i.id = ANY(${ids}::text[])`.execute(db)
  return rows
}

/**
 * Returns those of some ids that belong to items of datasets, and keeps these from being deleted until the transaction
 * ends.
 */
export const keepDatasetItems = (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<string[]> => keepParts(db, 'dataset', projectId, () => findParts(db, projectId, ids))

const claimDatasetItems = (db: Database, projectId: string, ids: readonly string[]) =>
  claimParts(db, 'dataset', projectId, () => findParts(db, projectId, ids))

/** Deletes items. Returns their origins. Needs a transaction. */
export const deleteDatasetItems = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<ItemOrigin[]> => {
  await claimDatasetItems(db, projectId, ids)
  const { rows } = await sql`
    DELETE FROM dataset_items i WHERE i.project_id = ${projectId} AND i.id = ANY(${ids}::text[])
    RETURNING ${itemOrigin}`.execute(db)
  return rows
}

/** Returns undefined when there was none. */
export const deleteDatasetItem = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<(DatasetItemRow & ItemOrigin) | undefined> => {
  await claimDatasetItems(db, projectId, [id])
  const { rows } = await sql`
    DELETE FROM dataset_items i WHERE i.project_id = ${projectId} AND i.id = ${id}
    RETURNING ${itemColumns}, ${select({ notedParticipants: asStored(i.notedParticipants) })}`.execute(
    db,
  )
  return rows[0]
}
