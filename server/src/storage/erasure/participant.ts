import type { Database } from '../../database/database.js'
import { pick, select, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
import { lockAlone } from '../../database/transactions/locks.js'
import { forgetUsage } from '../usage/marks.js'

/** Removes the notes of a participant's data, so that nothing refers to the participant any more. */
const forgetParticipant = async (db: Database, projectId: string, id: string): Promise<void> => {
  // Those that all workers have come first.
  for (const table of ['dataset_items', 'experiment_items', 'threads', 'steps'])
    await sql`
      UPDATE ${sql.table(table)} SET noted_participants = nullif(array_remove(noted_participants, ${id}), '{}')
      WHERE project_id = ${projectId} AND noted_participants && ARRAY[${id}]::text[]`.execute(db)
}

/**
 * Removes a participant from some of their steps, with the threads that these are in, and the notes of as many others.
 * Returns false when none are left. Needs a transaction.
 */
export const leaveSomeSteps = async (
  db: Database,
  projectId: string,
  id: string,
  most: number,
): Promise<boolean> => {
  const own = await sql`
    SELECT ${select(pick(s, 'id', 'threadId'))} FROM steps s
    WHERE s.project_id = ${projectId} AND s.participant_id = ${id} LIMIT ${sql.lit(most)}`.execute(
    db,
  )
  const threadIds = [...new Set(own.rows.flatMap(({ threadId }) => threadId ?? []))].sort()
  if (threadIds.length > 0)
    await sql`UPDATE threads SET participant_id = NULL
      WHERE project_id = ${projectId} AND id = ANY(${threadIds}::text[]) AND participant_id = ${id}`.execute(
      db,
    )
  const noted = await sql`
    SELECT ${select(pick(s, 'id'))} FROM steps s
    WHERE s.project_id = ${projectId} AND s.noted_participants && ARRAY[${id}]::text[] LIMIT ${sql.lit(most)}`.execute(
    db,
  )
  const ids = [...own.rows, ...noted.rows].map((row) => row.id)
  if (ids.length > 0)
    await sql`
      UPDATE steps SET participant_id = nullif(participant_id, ${id}),
        noted_participants = nullif(array_remove(noted_participants, ${id}), '{}')
      WHERE project_id = ${projectId} AND id = ANY(${ids}::text[])`.execute(db)
  return own.rows.length === most || noted.rows.length === most
}

/** Returns the number of steps that are a participant's, or have a note of them, up to a number. */
export const countStepsOf = async (
  db: Database,
  projectId: string,
  id: string,
  most: number,
): Promise<number> => {
  let count = 0
  for (const test of [
    sql`s.participant_id = ${id}`,
    sql`s.noted_participants && ARRAY[${id}]::text[]`,
  ]) {
    const { rows } = await sql`
      SELECT ${select(pick(s, 'id'))} FROM steps s
      WHERE s.project_id = ${projectId} AND ${test} LIMIT ${sql.lit(most)}`.execute(db)
    count = Math.max(count, rows.length)
  }
  return count
}

/** Deletes a participant; the threads stay without one. Returns false when there was none. */
export const deleteParticipant = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<boolean> => {
  await lockAlone(db, 'participant', projectId, [id])
  const { rows } = await sql`
    DELETE FROM participants WHERE project_id = ${projectId} AND id = ${id} RETURNING id`.execute(
    db,
  )
  await forgetParticipant(db, projectId, id)
  await forgetUsage(db, projectId, [id])
  await sql`UPDATE threads SET participant_id = NULL
    WHERE project_id = ${projectId} AND participant_id = ${id}`.execute(db)
  await sql`UPDATE steps SET participant_id = NULL
    WHERE project_id = ${projectId} AND participant_id = ${id}`.execute(db)
  return rows.length > 0
}
