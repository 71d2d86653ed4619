import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, select, sql } from '../../database/rows/sql.js'
import { a, n, s } from '../../database/rows/tables.js'
import { unnest } from '../../database/rows/writes.js'
import { noteOfFirst } from './columns.js'

/** The conversation that a span names for its trace. */
export interface TraceClaim {
  /** Of the trace. */
  id: string
  threadId: string
  /** Of several spans, the one with the lowest rank, in the order of bytes, decides. */
  rank: string
}

/** Changes of a trace's conversation, each of which may move all of its steps. Further ones are ignored. */
const MAX_CHANGES = 20

/** Notes the conversations of traces, unless a span of a lower rank has named another one. */
export const claimTraces = async (
  db: Database,
  projectId: string,
  claims: readonly TraceClaim[],
): Promise<void> => {
  const rows = claims.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  await sql`
    INSERT INTO traces AS n (project_id, id, thread_id, rank, changes, is_settled, left_ids)
    SELECT ${projectId}, r.id, r.thread_id, r.rank, 0, false, '{}'
    FROM ${unnest('traces', rows, 'id', 'threadId', 'rank')} AS r (id, thread_id, rank)
    ON CONFLICT (project_id, id) DO UPDATE SET
      thread_id = excluded.thread_id,
      rank = excluded.rank,
      changes = n.changes + CASE WHEN excluded.thread_id = n.thread_id THEN 0 ELSE 1 END,
      is_settled = n.is_settled AND excluded.thread_id = n.thread_id,
      left_ids = CASE WHEN excluded.thread_id = n.thread_id THEN n.left_ids ELSE n.left_ids || n.thread_id END
    WHERE excluded.rank < n.rank AND (excluded.thread_id = n.thread_id OR n.changes < ${sql.lit(MAX_CHANGES)})`.execute(
    db,
  )
}

/** The user that a span names for its trace. */
export interface UserClaim {
  /** Of the trace. */
  id: string
  participantId: string
  /** Of several spans, the one with the lowest rank, in the order of bytes, decides. */
  userRank: string
}

/** The rank of a trace without a conversation, which is its own: behind those of all spans. */
const OWN_RANK = '~'

/**
 * Notes the users of traces, unless a span of a lower rank has named another one. Returns those that were noted, with the
 * threads of their traces, and locks the traces until the transaction ends.
 */
export const claimUsers = async (
  db: Database,
  projectId: string,
  claims: readonly UserClaim[],
): Promise<{ id: string; threadId: string }[]> => {
  const rows = claims.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const { rows: noted } = await sql`
    INSERT INTO traces AS n (project_id, id, thread_id, rank, changes, is_settled, left_ids, participant_id, user_rank)
    SELECT ${projectId}, r.id, r.id, ${OWN_RANK}, -1, true, '{}', r.participant_id, r.user_rank
    FROM ${unnest('traces', rows, 'id', 'participantId', 'userRank')} AS r (id, participant_id, user_rank)
    ON CONFLICT (project_id, id) DO UPDATE SET
      participant_id = excluded.participant_id,
      user_rank = excluded.user_rank
    WHERE n.user_rank IS NULL OR excluded.user_rank < n.user_rank
    RETURNING ${select(pick(n, 'id', 'threadId'))}`.execute(db)
  return noted
}

/** Returns the users of traces. */
export const findUsersOfTraces = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql`
    SELECT DISTINCT ${select({ participantId: n.participantId.narrow<string>() })} FROM traces n
    WHERE n.project_id = ${projectId} AND n.id = ANY(${ids}::text[]) AND n.participant_id IS NOT NULL`.execute(
    db,
  )
  return rows.map(({ participantId }) => participantId)
}

/** Removes users from traces that have one of these. */
export const forgetUsersOfTraces = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  participantIds: readonly string[],
): Promise<void> => {
  await sql`
    UPDATE traces n SET participant_id = NULL, user_rank = NULL
    WHERE n.project_id = ${projectId} AND n.id = ANY(${ids}::text[])
      AND n.participant_id = ANY(${participantIds}::text[])`.execute(db)
}

/** Returns those of some traces that have a conversation, or a user. */
export const findTraces = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<{ id: string; threadId: string; isSettled: boolean; userRank: string | null }[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(n, 'id', 'threadId', 'isSettled', 'userRank'))} FROM traces n
    WHERE n.project_id = ${projectId} AND n.id = ANY(${ids}::text[])`.execute(db)
  return rows
}

export interface SettledTrace {
  id: string
  threadId: string
  /** The threads that the trace belonged to before. */
  leftIds: string[]
  participantId: string | null
}

/** Locks traces until the transaction ends, marks them as settled or not, and returns them. */
export const settleTraces = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  isSettled: boolean,
): Promise<SettledTrace[]> => {
  await sql`
    UPDATE traces n SET is_settled = ${isSettled}
    WHERE n.project_id = ${projectId} AND n.id = ANY(${ids}::text[])`.execute(db)
  const { rows } = await sql`
    SELECT ${select(pick(n, 'id', 'threadId', 'leftIds', 'participantId'))} FROM traces n
    WHERE n.project_id = ${projectId} AND n.id = ANY(${ids}::text[])`.execute(db)
  return rows
}

/** The steps of a trace: their ids begin with its own and a hyphen, so that they are a range of the primary key. */
const isOfTrace = sql`s.id >= r.id || '-' AND s.id < r.id || '.'`

/** A trace and the thread that it belongs to. */
interface OfThread {
  id: string
  threadId: string
}

/** The steps of traces that are in other threads than their traces. */
const fromStepsToLeave = (projectId: string, traces: readonly OfThread[]) => sql`
  FROM ${unnest('traces', traces, 'id', 'threadId')} AS r (id, thread_id)
  JOIN steps s ON s.project_id = ${projectId} AND ${isOfTrace}
  WHERE s.thread_id <> r.thread_id`

const left = select({
  traceId: cast('text', sql`r.id`),
  threadId: s.threadId.narrow<string>(),
})

/** Returns the threads that have steps of traces, other than the traces' threads. */
export const findThreadsToLeave = async (
  db: Database,
  projectId: string,
  traces: readonly OfThread[],
): Promise<{ traceId: string; threadId: string }[]> => {
  const { rows } =
    await sql`SELECT DISTINCT ${left} ${fromStepsToLeave(projectId, traces)}`.execute(db)
  return rows
}

/** Returns the steps that are in other threads than their traces: up to a number, if one is given. */
export const findStepsToLeave = async (
  db: Database,
  projectId: string,
  traces: readonly OfThread[],
  most?: number,
): Promise<{ id: string; traceId: string; threadId: string }[]> => {
  const { rows } = await sql`
    SELECT ${left.and(select(pick(s, 'id')))} ${fromStepsToLeave(projectId, traces)}
    ${most === undefined ? sql`` : sql`LIMIT ${sql.lit(most)}`}`.execute(db)
  return rows
}

export interface TraceMove {
  /** Of the trace. */
  id: string
  threadId: string
  /** The participant of that thread. */
  participantId: string | null
}

/**
 * Moves the steps of traces, all of them or some by their ids, from some threads to their own. Needs a transaction that has
 * locked all of these. Steps that another request has put elsewhere meanwhile are moved by that request.
 */
export const moveTraces = async (
  db: Database,
  projectId: string,
  traces: readonly TraceMove[],
  from: readonly string[],
  stepIds?: readonly string[],
): Promise<void> => {
  const participants = traces.map(({ participantId }) => participantId)
  const moved = await sql`
    UPDATE steps s SET thread_id = r.thread_id, participant_id = r.participant_id,
      noted_participants = ${sql.raw(noteOfFirst('s', 'r.participant_id'))}
    FROM unnest(${traces.map(({ id }) => id)}::text[], ${traces.map(({ threadId }) => threadId)}::text[],
      ${participants}::text[]) AS r (id, thread_id, participant_id)
    WHERE s.project_id = ${projectId} AND ${isOfTrace} AND s.thread_id <> r.thread_id
      AND s.thread_id = ANY(${from}::text[])
      ${stepIds === undefined ? sql`` : sql`AND s.id = ANY(${stepIds}::text[])`}
    RETURNING ${select({ id: s.id, threadId: s.threadId.narrow<string>() })}`.execute(db)
  // An attachment is in the thread of its step.
  if (moved.rows.length > 0)
    await sql`
      UPDATE attachments a SET thread_id = r.thread_id
      FROM ${unnest('steps', moved.rows, 'id', 'threadId')} AS r (step_id, thread_id)
      WHERE a.project_id = ${projectId} AND a.step_id = r.step_id AND a.thread_id IS NOT NULL`.execute(
      db,
    )
}

/**
 * Deletes those of some threads in which nothing is left: no step, no attachment, no metadata, no tag; and no name,
 * unless the thread is that of a trace, which has it from a span.
 */
export const deleteEmptyThreads = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  ofTraces: readonly string[],
): Promise<void> => {
  const withSteps = await sql`
    SELECT DISTINCT ${select({ threadId: s.threadId.narrow<string>() })} FROM steps s
    WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${ids}::text[])`.execute(db)
  const attached = await sql`
    SELECT DISTINCT ${select({ threadId: a.threadId.narrow<string>() })} FROM attachments a
    WHERE a.project_id = ${projectId} AND a.thread_id = ANY(${ids}::text[])`.execute(db)
  const kept = new Set([
    ...withSteps.rows.map(({ threadId }) => threadId),
    ...attached.rows.map(({ threadId }) => threadId),
  ])
  const empty = ids.filter((id) => !kept.has(id))
  await sql`
    DELETE FROM threads WHERE project_id = ${projectId} AND id = ANY(${empty}::text[])
      AND metadata IS NULL AND coalesce(cardinality(tags), 0) = 0
      AND (name IS NULL OR id = ANY(${ofTraces}::text[]))`.execute(db)
}
