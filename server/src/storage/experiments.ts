import type { Database } from '../database/database.js'
import { EscapedText } from '../database/parameters.js'
import { portionsOf } from '../database/portions.js'
import { cast } from '../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../database/rows/sql.js'
import { e, x } from '../database/rows/tables.js'
import { valuesOf } from '../database/rows/writes.js'
import { encodeJson } from '../database/text.js'
import { claimParts, keepParts, lockAlone, lockShared } from '../database/transactions/locks.js'
import { amongSome, anyOf, byValue, indexed, string } from '../lists/fields.js'
import { inPrecedence, type Listing } from '../lists/listing.js'
import { type ResultOrigin, resultOrigin } from './erasure/notes.js'

/** The end of a run, as its last process told it. */
export type ExperimentStatus = 'COMPLETE' | 'DECIDED' | 'OVER_BUDGET' | 'STOPPED' | 'BROKEN'

const columns = select({
  ...pick(
    e,
    'id',
    'createdAt',
    'name',
    'datasetId',
    'promptExperimentId',
    'params',
    'identity',
    'problem',
  ),
  status: e.status.narrow<ExperimentStatus | null>(),
})
const itemColumns = select({
  ...pick(
    x,
    'id',
    'createdAt',
    'datasetItemId',
    'experimentRunId',
    'input',
    'expectedOutput',
    'output',
    'key',
    'repetition',
    'error',
    'durationMs',
    'tokens',
    'cost',
    'cluster',
  ),
  datasetExperimentId: x.experimentId,
})

export type ExperimentRow = RowOf<typeof columns>
export type ExperimentItemRow = RowOf<typeof itemColumns>

export const experimentListing: Listing<ExperimentRow> = {
  name: 'experiments',
  table: sql`experiments`,
  alias: sql`e`,
  columns,
  id: e.id,
  projectId: e.projectId,
  createdAt: e.createdAt,
  fields: inPrecedence({
    datasetId: {
      ...indexed(string(e.datasetId), byValue(e.datasetId)),
      isNullable: false,
    },
  }),
  orders: { createdAt: { value: e.createdAt, type: 'timestamptz', isIndexed: true } },
}

/** The identity of an item among the experiments on the same data. */
const keyOfItem = cast('text | null', sql`coalesce(${x.key}, ${x.datasetItemId})`)

export const experimentItemListing: Listing<ExperimentItemRow> = {
  name: 'experimentItems',
  table: sql`experiment_items`,
  alias: sql`x`,
  columns: itemColumns,
  id: x.id,
  projectId: x.projectId,
  createdAt: x.createdAt,
  fields: inPrecedence({
    experimentId: {
      ...indexed(string(x.experimentId), byValue(x.experimentId)),
      isNullable: false,
    },
    datasetItemId: {
      ...indexed(string(x.datasetItemId), byValue(x.datasetItemId)),
      isNullable: true,
    },
    datasetItemIds: { ...anyOf(x.datasetItemId), isNullable: true },
    // No index has it: the results of an experiment are few beside those of a project.
    keys: { ...amongSome(keyOfItem), isNullable: true },
  }),
  orders: { createdAt: { value: x.createdAt, type: 'timestamptz', isIndexed: true } },
}

const placeColumns = select({
  ...pick(x, 'id', 'datasetItemId', 'experimentRunId'),
  datasetExperimentId: x.experimentId,
})

/** An experiment item without its contents, which may be large. */
export type ItemPlaceRow = RowOf<typeof placeColumns>

export const findItemPlaces = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<ItemPlaceRow[]> => {
  const { rows } = await sql`
    SELECT ${placeColumns} FROM experiment_items x
    WHERE x.project_id = ${projectId} AND x.id = ANY(${ids}::text[])`.execute(db)
  return rows
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

export const findExperiments = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<ExperimentRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM experiments e WHERE e.project_id = ${projectId} AND e.id = ANY(${ids}::text[])`.execute(
    db,
  )
  return rows
}

/** Notes the end of a run. Returns undefined when there is no such experiment. */
export const endExperiment = async (
  db: Database,
  projectId: string,
  { id, status, problem }: Pick<ExperimentRow, 'id' | 'status' | 'problem'>,
): Promise<ExperimentRow | undefined> => {
  const { rows } = await sql`
    UPDATE experiments e SET status = ${status}, problem = ${problem}
    WHERE e.project_id = ${projectId} AND e.id = ${id} RETURNING ${columns}`.execute(db)
  return rows[0]
}

export const findExperimentByIdentity = async (
  db: Database,
  projectId: string,
  identity: string,
): Promise<ExperimentRow | undefined> => {
  const { rows } = await sql`
    SELECT ${columns} FROM experiments e WHERE e.project_id = ${projectId} AND e.identity = ${identity}`.execute(
    db,
  )
  return rows[0]
}

/**
 * Deletes an experiment with its results and their scores. Returns the results' participants, or undefined when there was
 * no such experiment. Needs a transaction.
 */
export const deleteExperiment = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<{ name: string; results: ResultOrigin[] } | undefined> => {
  await claimExperiment(db, projectId, id)
  const { rows } = await sql`
    DELETE FROM experiments e WHERE e.project_id = ${projectId} AND e.id = ${id}
    RETURNING ${select(pick(e, 'name'))}`.execute(db)
  if (rows[0] === undefined) return undefined
  await sql`
    DELETE FROM experiment_leases WHERE project_id = ${projectId} AND experiment_id = ${id}`.execute(
    db,
  )
  const items = await sql`
    DELETE FROM experiment_items x WHERE x.project_id = ${projectId} AND x.experiment_id = ${id}
    RETURNING ${resultOrigin}`.execute(db)
  const ids = items.rows.map((row) => row.id)
  await sql`
    DELETE FROM scores WHERE project_id = ${projectId} AND dataset_experiment_item_id = ANY(${ids}::text[])
      AND step_id IS NULL`.execute(db)
  return { name: rows[0].name, results: items.rows }
}

/** Inserts an experiment, unless there is one of the same identity: then returns false. */
export const insertExperiment = async (
  db: Database,
  projectId: string,
  experiment: ExperimentRow,
): Promise<boolean> => {
  const { rows } = await sql`
    INSERT INTO experiments ${valuesOf('experiments', { projectId, ...experiment })}
    ON CONFLICT (project_id, identity) WHERE identity IS NOT NULL DO NOTHING RETURNING id`.execute(
    db,
  )
  return rows.length > 0
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

/** Returns true if there is an experiment, and keeps it from being deleted until the transaction ends. */
export const keepExperiment = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<boolean> => {
  await lockShared(db, 'experiment', projectId, [id])
  return hasExperiment(db, projectId, id)
}

/** Waits for those who keep an experiment or its results from being deleted, and lets no others begin to. Needs a transaction. */
export const claimExperiment = (db: Database, projectId: string, id: string): Promise<void> =>
  lockAlone(db, 'experiment', projectId, [id])

const findParts = async (db: Database, projectId: string, ids: readonly string[]) => {
  const { rows } = await sql`
    SELECT ${select({ id: x.id, owner: x.experimentId })} FROM experiment_items x
    WHERE x.project_id = ${projectId} AND x.id = ANY(${ids}::text[])`.execute(db)
  return rows
}

/** Waits for those who keep some results from being deleted, and lets no others begin to. Needs a transaction. */
export const claimExperimentItems = (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<void> => claimParts(db, 'experiment', projectId, () => findParts(db, projectId, ids))

/**
 * Returns those of some ids that belong to results of experiments, and keeps these from being deleted until the
 * transaction ends.
 */
export const keepExperimentItems = (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<string[]> => keepParts(db, 'experiment', projectId, () => findParts(db, projectId, ids))

/** Rows of a statement. Larger ones would hold the embedded database, and their encoding the event loop. */
const PORTION = { mostRows: 1000, mostWeight: 2_000_000 }

export const insertExperimentItems = async (
  db: Database,
  projectId: string,
  items: readonly ExperimentItemRow[],
): Promise<void> => {
  for (const portion of portionsOf(items, PORTION))
    await sql`
INSERT INTO experiment_items (project_id, id, experiment_id, dataset_item_id, experiment_run_id, input,
  expected_output, output, key, repetition, error, duration_ms, tokens, cost, cluster, created_at)
SELECT ${projectId}, r.id, r."datasetExperimentId", r."datasetItemId", r."experimentRunId", r.input,
  r."expectedOutput", r.output, r.key, r.repetition, r.error, r."durationMs", r.tokens, r.cost, r.cluster, r."createdAt"
FROM json_to_recordset(${new EscapedText(encodeJson(portion))}::json) AS r (id text, "datasetExperimentId" text,
  "datasetItemId" text, "experimentRunId" text, input json, "expectedOutput" json, output json, key text, repetition integer, error text,
  "durationMs" float8, tokens integer, cost float8, cluster text, "createdAt" timestamptz)`.execute(
      db,
    )
}
