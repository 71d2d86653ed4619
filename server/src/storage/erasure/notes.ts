import type { Database } from '../../database/database.js'
import { EscapedText } from '../../database/parameters.js'
import { pick, type RowOf, type Sql, select, sql } from '../../database/rows/sql.js'
import { i, p, s, x } from '../../database/rows/tables.js'
import { encodeJson } from '../../database/text.js'
import { lockShared } from '../../database/transactions/locks.js'

/** The environment of experiments' runs. */
export const EXPERIMENT = 'experiment'

/**
 * Reads ids of participants without a function around the column, which changes of a distributed database may not return.
 * They have no characters that need one.
 */
export const asStored = (column: Sql<string[] | null>) =>
  sql`${column}` as unknown as Sql<string[] | null>

/** The participants of a step, by itself and by the run that it belongs to. */
export const stepOrigin = select({
  ...pick(s, 'id', 'participantId', 'rootRunId', 'environment'),
  notedParticipants: asStored(s.notedParticipants),
})
export const itemOrigin = select({
  ...pick(i, 'id', 'stepId'),
  notedParticipants: asStored(i.notedParticipants),
})
export const resultOrigin = select({
  ...pick(x, 'id', 'datasetItemId', 'experimentRunId'),
  notedParticipants: asStored(x.notedParticipants),
})

export type StepOrigin = RowOf<typeof stepOrigin>
export type ItemOrigin = RowOf<typeof itemOrigin>
export type ResultOrigin = RowOf<typeof resultOrigin>

export const findStepOrigins = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<StepOrigin[]> => {
  const { rows } = await sql`
    SELECT ${stepOrigin} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[])`.execute(db)
  return rows
}

const itemsWhere =
  (column: Sql) =>
  async (db: Database, projectId: string, ids: readonly string[]): Promise<ItemOrigin[]> => {
    const { rows } = await sql`
      SELECT ${itemOrigin} FROM dataset_items i
      WHERE i.project_id = ${projectId} AND ${column} = ANY(${ids}::text[])`.execute(db)
    return rows
  }

export const findItemOrigins = itemsWhere(i.id)
/** Returns the dataset items that are copies of some steps. */
export const findCopiesOfSteps = itemsWhere(i.stepId)

const resultsWhere =
  (column: Sql) =>
  async (db: Database, projectId: string, ids: readonly string[]): Promise<ResultOrigin[]> => {
    const { rows } = await sql`
      SELECT ${resultOrigin} FROM experiment_items x
      WHERE x.project_id = ${projectId} AND ${column} = ANY(${ids}::text[])`.execute(db)
    return rows
  }

/** Returns the results of experiments on some dataset items. */
export const findResultsOfItems = resultsWhere(x.datasetItemId)
/** Returns the results of some runs. */
export const findResultsOfRuns = resultsWhere(x.experimentRunId)

export interface Note {
  id: string
  participants: readonly string[]
}

/** Adds to rows the participants whose data they have. Notes may be there twice; those that erase remove both. */
const adding =
  (table: 'dataset_items' | 'experiment_items' | 'steps', column: string, test = sql`true`) =>
  async (db: Database, projectId: string, notes: readonly Note[]): Promise<void> => {
    if (notes.length === 0) return
    await sql`
      UPDATE ${sql.table(table)} SET
        noted_participants = coalesce(${sql.ref(`${table}.noted_participants`)}, '{}') || r.participants
      FROM json_to_recordset(${new EscapedText(encodeJson(notes))}::json) AS r (id text, participants text[])
      WHERE ${sql.ref(`${table}.project_id`)} = ${projectId} AND ${sql.ref(`${table}.${column}`)} = r.id
        AND ${test}`.execute(db)
  }

export const noteOnItems = adding('dataset_items', 'id')
export const noteOnResults = adding('experiment_items', 'id')
const isOfExperiment = sql`steps.environment = ${EXPERIMENT}`
const noteOnSteps = adding('steps', 'id', isOfExperiment)
const noteOnStepsOfRuns = adding('steps', 'root_run_id', isOfExperiment)

/** Adds participants to all steps of some runs of experiments. */
export const noteOnRuns = async (
  db: Database,
  projectId: string,
  notes: readonly Note[],
): Promise<void> => {
  await noteOnSteps(db, projectId, notes)
  await noteOnStepsOfRuns(db, projectId, notes)
}

/**
 * Returns those of some participants that exist, and keeps them from being deleted until the transaction ends: a note of
 * one that is deleted would not be found.
 */
export const keepParticipants = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<string[]> => {
  await lockShared(db, 'participant', projectId, ids)
  const { rows } = await sql`
    SELECT ${select(pick(p, 'id'))} FROM participants p
    WHERE p.project_id = ${projectId} AND p.id = ANY(${ids}::text[])`.execute(db)
  return rows.map(({ id }) => id)
}
