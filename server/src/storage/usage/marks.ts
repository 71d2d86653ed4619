import type { Database } from '../../database/database.js'
import { pick, select, sql } from '../../database/rows/sql.js'
import { participantMarks } from '../../database/rows/tables.js'
import { reserve } from '../../database/transactions/locks.js'
import { hasTrigger } from '../../database/triggers.js'
import { sumsFromThreads, usageOfUser } from './usage.js'

/** A user by the project. */
export interface UserRef {
  projectId: string
  participantId: string
}

/** Returns true when users are marked as their threads are written: not while these are distributed over workers. */
export const marksUsers = (db: Database): Promise<boolean> =>
  hasTrigger(db, 'threads', 'mark_participants_update')

/** Returns the next users behind one, in the order of their ids, that were marked some time ago. */
export const findMarkedUsers = async (
  db: Database,
  behind: UserRef | undefined,
  quietSeconds: number,
  most: number,
): Promise<UserRef[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(participantMarks, 'projectId', 'participantId'))} FROM participant_marks
    ${behind === undefined ? sql`` : sql`WHERE (project_id, participant_id) > (${behind.projectId}, ${behind.participantId})`}
    GROUP BY project_id, participant_id
    HAVING min(marked_at) <= now() - make_interval(secs => ${quietSeconds}::float8)
    ORDER BY project_id, participant_id LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}

/**
 * Makes other processes leave the sums of a project's users alone until the transaction ends. Returns false when another one has
 * them. Without it, sums could be replaced by earlier ones.
 */
export const reserveUsage = (db: Database, projectId: string): Promise<boolean> =>
  reserve(db, `usage ${projectId}`)

/**
 * Takes the marks of users. Comes before their threads are read: a transaction that commits in the meantime leaves marks of its
 * own, so that nothing is missed.
 */
export const takeUserMarks = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<void> => {
  await sql`
    DELETE FROM participant_marks
    WHERE project_id = ${projectId} AND participant_id = ANY(${[...ids]}::text[])`.execute(db)
}

/** Stores the sums of users as their threads say now. */
export const storeUsage = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<void> => {
  const { threadCount, tokenCount, errorCount, unpricedCount, cost, firstEngaged, lastEngaged } =
    usageOfUser
  await sql`
    INSERT INTO participant_sums (project_id, participant_id, thread_count, token_count, error_count, unpriced_count, cost,
      first_engaged, last_engaged)
    SELECT ${projectId}, asked.id, ${threadCount}, ${tokenCount}, ${errorCount}, ${unpricedCount}, ${cost}, ${firstEngaged}, ${lastEngaged}
    FROM unnest(${[...ids]}::text[]) AS asked (id)
    LEFT JOIN (${sumsFromThreads(projectId, ids)}) AS participant_sums ON participant_sums.participant_id = asked.id
    ON CONFLICT (project_id, participant_id) DO UPDATE SET thread_count = excluded.thread_count,
      token_count = excluded.token_count, error_count = excluded.error_count, unpriced_count = excluded.unpriced_count,
      cost = excluded.cost, first_engaged = excluded.first_engaged, last_engaged = excluded.last_engaged`.execute(
    db,
  )
}

/** Deletes the sums of users, which are read from their threads from then on. */
export const forgetUsage = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<void> => {
  await sql`
    DELETE FROM participant_sums
    WHERE project_id = ${projectId} AND participant_id = ANY(${[...ids]}::text[])`.execute(db)
}
