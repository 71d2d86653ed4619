import type { Database } from '../../database/database.js'
import { inSequence } from '../../database/distribution/cluster.js'
import { pick, type RowOf, type Sql, select, sql } from '../../database/rows/sql.js'
import { a, c, i, s, t, x } from '../../database/rows/tables.js'
import { lockAlone } from '../../database/transactions/locks.js'
import { deleteDatasetItems } from '../datasets.js'
import { claimExperimentItems } from '../experiments.js'
import { checkFilesOf } from '../files.js'
import { changeSteps, deleteThread, lockThread } from '../threads.js'
import {
  EXPERIMENT,
  type ItemOrigin,
  type ResultOrigin,
  resultOrigin,
  type StepOrigin,
  stepOrigin,
} from './notes.js'

/** Holds for rows with a note of a participant. */
export const isNoted = (column: Sql, participantId: string) =>
  sql`${column} && ARRAY[${participantId}]::text[]`

/** Hold for the steps of a participant: those of their threads, and those with a note; apart, as each has an index. */
export const stepsOf = (participantId: string): Sql[] => [
  sql`s.participant_id = ${participantId}`,
  isNoted(s.notedParticipants, participantId),
]
/**
 * Holds for the steps of runs of experiments. A result may name any step as its run: one that was recorded elsewhere is no
 * copy, and somebody else's.
 */
export const isOfRuns = (runs: readonly string[]) =>
  sql`s.environment = ${EXPERIMENT} AND (s.root_run_id = ANY(${runs}::text[]) OR s.id = ANY(${runs}::text[]))`

const deletedStep = stepOrigin.and(select(pick(s, 'threadId', 'hasGeneration', 'ingested')))
export type DeletedStep = RowOf<typeof deletedStep>

/** Deletes some steps with all that belongs to them, up to a number. Needs a transaction. */
export const deleteStepsWhere = async (
  db: Database,
  projectId: string,
  test: Sql,
  most: number,
): Promise<{ steps: DeletedStep[]; scores: number; attachments: number }> => {
  await inSequence(db)
  const found = await sql`
    SELECT ${select(pick(s, 'id'))} FROM steps s
    WHERE s.project_id = ${projectId} AND ${test} LIMIT ${sql.lit(most)}`.execute(db)
  if (found.rows.length === 0) return { steps: [], scores: 0, attachments: 0 }
  const foundIds = found.rows.map(({ id }) => id)
  const steps = await changeSteps(db, projectId, foundIds, async () => {
    const { rows } = await sql`
      DELETE FROM steps s WHERE s.project_id = ${projectId} AND ${test}
        AND s.id = ANY(${foundIds}::text[])
      RETURNING ${deletedStep}`.execute(db)
    return { result: rows, threadIds: rows.map(({ threadId }) => threadId) }
  })
  const ids = steps.map(({ id }) => id)
  const scores = await deleteScoresWhere(db, projectId, sql`c.step_id = ANY(${ids}::text[])`)
  await sql`DELETE FROM span_logs WHERE project_id = ${projectId} AND step_id = ANY(${ids}::text[])`.execute(
    db,
  )
  const attached = sql`step_id = ANY(${ids}::text[])`
  await checkFilesOf(db, projectId, attached)
  const attachments = await sql`
    DELETE FROM attachments a WHERE a.project_id = ${projectId} AND ${attached}
    RETURNING ${select(pick(a, 'id'))}`.execute(db)
  return { steps, scores, attachments: attachments.rows.length }
}

const deleteScoresWhere = async (db: Database, projectId: string, test: Sql): Promise<number> => {
  const { rows } = await sql`
    DELETE FROM scores c WHERE c.project_id = ${projectId} AND ${test}
    RETURNING ${select(pick(c, 'id'))}`.execute(db)
  return rows.length
}

/** Deletes scores by a scorer, up to a number. Returns how many they were. */
export const deleteScoresBy = async (
  db: Database,
  projectId: string,
  scorer: string,
  most: number,
): Promise<number> => {
  const { rows } = await sql`
    SELECT ${select(pick(c, 'id'))} FROM scores c
    WHERE c.project_id = ${projectId} AND left(c.scorer, 200) = left(${scorer}::text, 200) AND c.scorer = ${scorer}
    LIMIT ${sql.lit(most)}`.execute(db)
  const ids = rows.map(({ id }) => id)
  return ids.length === 0 ? 0 : deleteScoresWhere(db, projectId, sql`c.id = ANY(${ids}::text[])`)
}

/** Deletes dataset items with a participant's data, up to a number. */
export const deleteItemsOf = async (
  db: Database,
  projectId: string,
  participantId: string,
  most: number,
): Promise<ItemOrigin[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(i, 'id'))} FROM dataset_items i
    WHERE i.project_id = ${projectId} AND ${isNoted(i.notedParticipants, participantId)} LIMIT ${sql.lit(most)}`.execute(
    db,
  )
  const ids = rows.map(({ id }) => id)
  return ids.length === 0 ? [] : deleteDatasetItems(db, projectId, ids)
}

/** Returns results of experiments with a participant's data, up to a number. */
export const findResultsOf = async (
  db: Database,
  projectId: string,
  participantId: string,
  most: number,
): Promise<ResultOrigin[]> => {
  const { rows } = await sql`
    SELECT ${resultOrigin} FROM experiment_items x
    WHERE x.project_id = ${projectId} AND ${isNoted(x.notedParticipants, participantId)} LIMIT ${sql.lit(most)}`.execute(
    db,
  )
  return rows
}

/** Deletes results of experiments with their scores. Needs a transaction. */
export const deleteResults = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<{ results: ResultOrigin[]; scores: number }> => {
  await claimExperimentItems(db, projectId, ids)
  const { rows: results } = await sql`
    DELETE FROM experiment_items x WHERE x.project_id = ${projectId} AND x.id = ANY(${ids}::text[])
    RETURNING ${resultOrigin}`.execute(db)
  const scores = await deleteScoresWhere(
    db,
    projectId,
    sql`c.dataset_experiment_item_id = ANY(${ids}::text[])`,
  )
  return { results, scores }
}

/** Removes the notes of a participant from some dataset items and results, which stay. Returns true when there were any. */
export const forgetCopiesOf = async (
  db: Database,
  projectId: string,
  participantId: string,
  most: number,
): Promise<boolean> => {
  let isAny = false
  for (const table of ['dataset_items', 'experiment_items']) {
    const noted = sql`project_id = ${projectId} AND ${isNoted(sql`noted_participants`, participantId)}`
    const { rows } = await sql`
      UPDATE ${sql.table(table)}
      SET noted_participants = nullif(array_remove(noted_participants, ${participantId}), '{}')
      WHERE project_id = ${projectId} AND id IN (SELECT id FROM ${sql.table(table)} WHERE ${noted} LIMIT ${sql.lit(most)})
      RETURNING id`.execute(db)
    if (rows.length > 0) isAny = true
  }
  return isAny
}

/** Returns threads that are a participant's now, or else that were theirs first, up to a number. */
export const findThreadsOf = async (
  db: Database,
  projectId: string,
  participantId: string,
  manner: 'now' | 'before',
  most: number,
): Promise<string[]> => {
  const test =
    manner === 'now'
      ? sql`t.participant_id = ${participantId}`
      : isNoted(t.notedParticipants, participantId)
  const { rows } = await sql`
    SELECT ${select(pick(t, 'id'))} FROM threads t
    WHERE t.project_id = ${projectId} AND ${test} LIMIT ${sql.lit(most)}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Deletes a thread that is a participant's, with all that is still in it. Returns null when it is not theirs any more.
 * Needs a transaction.
 */
export const deleteThreadOf = async (
  db: Database,
  projectId: string,
  participantId: string,
  id: string,
): Promise<{ steps: StepOrigin[]; scores: number; attachments: number } | null> => {
  await inSequence(db)
  const thread = await lockThread(db, projectId, id)
  if (thread?.participantId !== participantId) return null
  const attached = await sql`
    SELECT ${select(pick(a, 'id'))} FROM attachments a
    WHERE a.project_id = ${projectId} AND a.thread_id = ${id} AND a.step_id IS NULL`.execute(db)
  const scores = await deleteScoresWhere(db, projectId, sql`c.thread_id = ${id}`)
  const steps = (await deleteThread(db, projectId, id)) ?? []
  return { steps, scores, attachments: attached.rows.length }
}

/**
 * Deletes a thread that was a participant's first, when it is nobody's now and nothing is left in it. Otherwise it stays,
 * without the note. Returns the number of its scores that were deleted, too. Needs a transaction.
 */
export const leaveThread = async (
  db: Database,
  projectId: string,
  participantId: string,
  id: string,
): Promise<{ outcome: 'deleted' | 'kept' | undefined; scores: number }> => {
  await inSequence(db)
  const thread = await lockThread(db, projectId, id)
  if (thread === undefined) return { outcome: undefined, scores: 0 }
  if (thread.participantId === null && (await isEmpty(db, projectId, id))) {
    const scores = await deleteScoresWhere(db, projectId, sql`c.thread_id = ${id}`)
    await deleteThread(db, projectId, id)
    return { outcome: 'deleted', scores }
  }
  await sql`
    UPDATE threads SET noted_participants = nullif(array_remove(noted_participants, ${participantId}), '{}')
    WHERE project_id = ${projectId} AND id = ${id}`.execute(db)
  return { outcome: thread.participantId === participantId ? undefined : 'kept', scores: 0 }
}

const isEmpty = async (db: Database, projectId: string, id: string): Promise<boolean> => {
  const steps = await sql`
    SELECT s.id FROM steps s WHERE s.project_id = ${projectId} AND s.thread_id = ${id} LIMIT 1`.execute(
    db,
  )
  return steps.rows.length === 0
}

/**
 * Deletes a participant's own row. Returns false when something of theirs is left, which may have been stored meanwhile:
 * the transaction must then not be committed. Those who refer to a participant lock them first, so that nothing can be
 * stored until this transaction ends.
 */
export const deleteParticipantRow = async (
  db: Database,
  projectId: string,
  participantId: string,
): Promise<boolean> => {
  await lockAlone(db, 'participant', projectId, [participantId])
  await sql`DELETE FROM participants WHERE project_id = ${projectId} AND id = ${participantId}`.execute(
    db,
  )
  const left = [
    sql`SELECT t.id FROM threads t WHERE t.project_id = ${projectId} AND t.participant_id = ${participantId} LIMIT 1`,
    sql`SELECT t.id FROM threads t
      WHERE t.project_id = ${projectId} AND ${isNoted(t.notedParticipants, participantId)} LIMIT 1`,
    ...stepsOf(participantId).map(
      (test) => sql`SELECT s.id FROM steps s WHERE s.project_id = ${projectId} AND ${test} LIMIT 1`,
    ),
    sql`SELECT i.id FROM dataset_items i
      WHERE i.project_id = ${projectId} AND ${isNoted(i.notedParticipants, participantId)} LIMIT 1`,
    sql`SELECT x.id FROM experiment_items x
      WHERE x.project_id = ${projectId} AND ${isNoted(x.notedParticipants, participantId)} LIMIT 1`,
  ]
  for (const some of left) if ((await some.execute(db)).rows.length > 0) return false
  return true
}
