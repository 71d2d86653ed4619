import { sql } from 'kysely'
import type { Instant } from '../domain/instant.js'
import type { Database } from './database.js'

export interface SequenceRange {
  from: number
  to: number
}

export interface LossRow extends SequenceRange {
  sessionId: string
  reason: string
  threadId: string | null
}

export interface SessionRow {
  id: string
  startedAt: Instant
  lastSeenAt: Instant
  endedAt: Instant | null
  release: string | null
  recorded: number
  received: number
  missingRanges: SequenceRange[]
}

/** How many ranges of missing numbers, and how many losses, an answer lists. */
const MOST_LISTED = 1000

const columns = sql`
  s.id, s.started_at AS "startedAt", s.last_seen_at AS "lastSeenAt", s.ended_at AS "endedAt", s.release, s.recorded,
  (SELECT coalesce(sum(upper(r) - lower(r)), 0)::int FROM unnest(s.received) r) AS received,
  (SELECT coalesce(json_agg(json_build_object('from', lower(r), 'to', upper(r) - 1)), '[]')
    FROM (SELECT r FROM unnest(int4multirange(int4range(1, s.recorded + 1)) - s.received) r LIMIT ${MOST_LISTED}) m)
    AS "missingRanges"`

export const findSessions = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<SessionRow[]> => {
  const { rows } = await sql<SessionRow>`
    SELECT ${columns} FROM sessions s WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[])
    ORDER BY s.started_at, s.id`.execute(db)
  return rows
}

/** The sessions that have steps in threads, or that lost some. */
export const findSessionIdsOfThreads = async (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
): Promise<{ threadId: string; sessionId: string }[]> => {
  const { rows } = await sql<{ threadId: string; sessionId: string }>`
    SELECT thread_id AS "threadId", session_id AS "sessionId" FROM steps
    WHERE project_id = ${projectId} AND thread_id = ANY(${threadIds}::text[]) AND session_id IS NOT NULL
    UNION
    SELECT thread_id, session_id FROM session_losses
    WHERE project_id = ${projectId} AND thread_id = ANY(${threadIds}::text[])`.execute(db)
  return rows
}

export const findLosses = async (
  db: Database,
  projectId: string,
  sessionIds: readonly string[],
): Promise<LossRow[]> => {
  const { rows } = await sql<LossRow>`
    SELECT session_id AS "sessionId", first AS "from", last AS "to", reason, thread_id AS "threadId" FROM (
      SELECT *, row_number() OVER (PARTITION BY session_id ORDER BY first) AS place FROM session_losses
      WHERE project_id = ${projectId} AND session_id = ANY(${sessionIds}::text[])) l
    WHERE place <= ${MOST_LISTED} ORDER BY session_id, first`.execute(db)
  return rows
}

/** Which of some sequence numbers were received before. */
export const findReceived = async (
  db: Database,
  projectId: string,
  sessionId: string,
  sequences: readonly number[],
): Promise<number[]> => {
  const { rows } = await sql<{ sequence: number }>`
    SELECT n AS sequence FROM sessions s, unnest(${sequences}::int[]) n
    WHERE s.project_id = ${projectId} AND s.id = ${sessionId} AND s.received @> n`.execute(db)
  return rows.map(({ sequence }) => sequence)
}

export interface SessionWrite {
  id: string
  startedAt: Instant
  endedAt: Instant | null
  release: string | null
  recorded: number
  received: readonly SequenceRange[]
  seenAt: Instant
}

/** Adds to what is known of a session. Who knows of more steps knows better whether it has ended. */
export const upsertSession = async (
  db: Database,
  projectId: string,
  { id, startedAt, endedAt, release, recorded, received, seenAt }: SessionWrite,
): Promise<void> => {
  const ranges = `{${received.map(({ from, to }) => `[${from},${to}]`).join(',')}}`
  await sql`
    INSERT INTO sessions (project_id, id, started_at, last_seen_at, ended_at, release, recorded, received)
    VALUES (${projectId}, ${id}, ${startedAt}::timestamptz, ${seenAt}::timestamptz, ${endedAt}::timestamptz, ${release},
      ${recorded}, ${ranges}::int4multirange)
    ON CONFLICT (project_id, id) DO UPDATE SET
      started_at = least(excluded.started_at, sessions.started_at),
      last_seen_at = greatest(excluded.last_seen_at, sessions.last_seen_at),
      ended_at = CASE WHEN excluded.recorded > sessions.recorded THEN excluded.ended_at
        WHEN excluded.recorded = sessions.recorded THEN coalesce(excluded.ended_at, sessions.ended_at)
        ELSE sessions.ended_at END,
      release = coalesce(excluded.release, sessions.release),
      recorded = greatest(excluded.recorded, sessions.recorded),
      received = excluded.received + sessions.received`.execute(db)
}

export const upsertLosses = async (
  db: Database,
  projectId: string,
  losses: readonly LossRow[],
): Promise<void> => {
  const column = (key: keyof LossRow) => losses.map((loss) => loss[key])
  await sql`
    INSERT INTO session_losses (project_id, session_id, first, last, reason, thread_id)
    SELECT DISTINCT ON (session_id, first) ${projectId}, * FROM unnest(${column('sessionId')}::text[],
      ${column('from')}::int[], ${column('to')}::int[], ${column('reason')}::text[], ${column('threadId')}::text[])
      AS l (session_id, first, last, reason, thread_id)
    ORDER BY session_id, first, last DESC
    ON CONFLICT (project_id, session_id, first) DO UPDATE SET
      last = greatest(excluded.last, session_losses.last),
      thread_id = coalesce(excluded.thread_id, session_losses.thread_id)`.execute(db)
}
