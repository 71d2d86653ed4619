import type { Database } from '../../database/database.js'
import { pick, type RowOf, type Sql, select, sql } from '../../database/rows/sql.js'
import { a, c, i, s, t, x } from '../../database/rows/tables.js'
import { isNoted } from './portions.js'

const countedStep = select(pick(s, 'id', 'hasGeneration', 'ingested'))
export type CountedStep = RowOf<typeof countedStep>

/** Returns a page of the steps that pass, in the order of their ids. */
export const findStepsWhere = async (
  db: Database,
  projectId: string,
  test: Sql,
  after: string,
  most: number,
): Promise<CountedStep[]> => {
  const { rows } = await sql`
    SELECT ${countedStep} FROM steps s
    WHERE s.project_id = ${projectId} AND ${test} AND s.id > ${after} ORDER BY s.id LIMIT ${sql.lit(most)}`.execute(
    db,
  )
  return rows
}

const idsOf = async (db: Database, statement: Sql): Promise<string[]> => {
  const { rows } = await sql`${statement}`.execute(db)
  return (rows as { id: string }[]).map(({ id }) => id)
}

/** Returns the ids of the attachments of some steps. */
export const findAttachmentIds = (db: Database, projectId: string, stepIds: readonly string[]) =>
  idsOf(
    db,
    sql`SELECT ${select(pick(a, 'id'))} FROM attachments a
      WHERE a.project_id = ${projectId} AND a.step_id = ANY(${stepIds}::text[])`,
  )

/** Returns the ids of the scores of some steps. */
export const findScoreIds = (db: Database, projectId: string, stepIds: readonly string[]) =>
  idsOf(
    db,
    sql`SELECT ${select(pick(c, 'id'))} FROM scores c
      WHERE c.project_id = ${projectId} AND c.step_id = ANY(${stepIds}::text[])`,
  )

/** Returns the ids of the scores of some threads themselves. */
export const findScoreIdsOfThreads = (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
) =>
  idsOf(
    db,
    sql`SELECT ${select(pick(c, 'id'))} FROM scores c
      WHERE c.project_id = ${projectId} AND c.thread_id = ANY(${threadIds}::text[])`,
  )

/** Returns the ids of the scores of some results. */
export const findScoreIdsOfResults = (db: Database, projectId: string, ids: readonly string[]) =>
  idsOf(
    db,
    sql`SELECT ${select(pick(c, 'id'))} FROM scores c
      WHERE c.project_id = ${projectId} AND c.dataset_experiment_item_id = ANY(${ids}::text[])`,
  )

/** Returns the ids of the scores by a scorer, after an id and up to a number. */
export const findScoreIdsBy = (
  db: Database,
  projectId: string,
  scorer: string,
  after: string,
  most: number,
) =>
  idsOf(
    db,
    sql`SELECT ${select(pick(c, 'id'))} FROM scores c
      WHERE c.project_id = ${projectId} AND left(c.scorer, 200) = left(${scorer}::text, 200) AND c.scorer = ${scorer}
        AND c.id > ${after} ORDER BY c.id LIMIT ${sql.lit(most)}`,
  )

/** Returns the ids of the dataset items with a note of a participant. */
export const findNotedItems = (db: Database, projectId: string, participantId: string) =>
  idsOf(
    db,
    sql`SELECT ${select(pick(i, 'id'))} FROM dataset_items i
      WHERE i.project_id = ${projectId} AND ${isNoted(i.notedParticipants, participantId)}`,
  )

const result = select(pick(x, 'id', 'experimentRunId'))

/** Returns the results of experiments with a note of a participant. */
export const findNotedResults = async (
  db: Database,
  projectId: string,
  participantId: string,
): Promise<RowOf<typeof result>[]> => {
  const { rows } = await sql`
    SELECT ${result} FROM experiment_items x
    WHERE x.project_id = ${projectId} AND ${isNoted(x.notedParticipants, participantId)}`.execute(
    db,
  )
  return rows
}

const formerThread = select(pick(t, 'id', 'participantId'))

/** Returns the threads that were a participant's first, and are not now. */
export const findFormerThreads = async (
  db: Database,
  projectId: string,
  participantId: string,
): Promise<RowOf<typeof formerThread>[]> => {
  const { rows } = await sql`
    SELECT ${formerThread} FROM threads t
    WHERE t.project_id = ${projectId} AND ${isNoted(t.notedParticipants, participantId)}
      AND t.participant_id IS DISTINCT FROM ${participantId}`.execute(db)
  return rows
}

/** Returns those of some threads that have a step without a note of a participant. */
export const findThreadsOfOthers = async (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
  participantId: string,
): Promise<string[]> => {
  const { rows } = await sql`
    SELECT DISTINCT ${select({ id: s.threadId.narrow<string>() })} FROM steps s
    WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${threadIds}::text[])
      AND NOT coalesce(${isNoted(s.notedParticipants, participantId)}, false)`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns the ids of those attachments of some threads that are of no step. */
export const findThreadAttachments = (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
) =>
  idsOf(
    db,
    sql`SELECT ${select(pick(a, 'id'))} FROM attachments a
      WHERE a.project_id = ${projectId} AND a.thread_id = ANY(${threadIds}::text[]) AND a.step_id IS NULL`,
  )

/** Returns a page of the ids of a participant's threads. */
export const findThreadIds = (
  db: Database,
  projectId: string,
  participantId: string,
  after: string,
  most: number,
) =>
  idsOf(
    db,
    sql`SELECT ${select(pick(t, 'id'))} FROM threads t
      WHERE t.project_id = ${projectId} AND t.participant_id = ${participantId} AND t.id > ${after}
      ORDER BY t.id LIMIT ${sql.lit(most)}`,
  )
