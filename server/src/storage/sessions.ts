import { sql } from 'kysely'
import type { Database } from '../database/database.js'
import type { Instant } from '../kernel/instant.js'

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
const MAX_LISTED = 1000

const columns = sql`
  s.id, s.started_at AS "startedAt", s.last_seen_at AS "lastSeenAt", s.ended_at AS "endedAt", s.release, s.recorded,
  (SELECT coalesce(sum(upper(r) - lower(r)), 0)::int FROM unnest(s.received) r) AS received,
  (SELECT coalesce(json_agg(json_build_object('from', lower(r), 'to', upper(r) - 1)), '[]')
    FROM (SELECT r FROM unnest(int4multirange(int4range(1, s.recorded + 1)) - s.received) r LIMIT ${MAX_LISTED}) m)
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
    WHERE place <= ${MAX_LISTED} ORDER BY session_id, first`.execute(db)
  return rows
}

/** Which of some sequence numbers were received before, by session. */
export const findReceived = async (
  db: Database,
  projectId: string,
  asked: readonly { sessionId: string; sequences: readonly SequenceRange[] }[],
): Promise<{ sessionId: string; ranges: SequenceRange[] }[]> => {
  const { rows } = await sql<{ sessionId: string; ranges: SequenceRange[] }>`
    SELECT s.id AS "sessionId",
      (SELECT coalesce(json_agg(json_build_object('from', lower(x), 'to', upper(x) - 1)), '[]')
        FROM unnest(s.received * r.asked) x) AS ranges
    FROM unnest(${asked.map(({ sessionId }) => sessionId)}::text[],
      ${asked.map(({ sequences }) => multirange(sequences))}::int4multirange[]) AS r (id, asked)
    JOIN sessions s ON s.project_id = ${projectId} AND s.id = r.id`.execute(db)
  return rows
}

const multirange = (ranges: readonly SequenceRange[]): string =>
  `{${ranges.map(({ from, to }) => `[${from},${to}]`).join(',')}}`

export interface SessionWrite {
  id: string
  startedAt: Instant
  endedAt: Instant | null
  release: string | null
  recorded: number
  received: readonly SequenceRange[]
  seenAt: Instant
}

/** Adds to what is known of sessions. Who knows of more steps knows better whether one has ended. */
export const upsertSessions = async (
  db: Database,
  projectId: string,
  sessions: readonly SessionWrite[],
): Promise<void> => {
  const [first] = sessions
  if (first === undefined) return
  const column = (key: keyof SessionWrite) => sessions.map((session) => session[key])
  // One as a rule, which a distributed database sends straight to its worker.
  const source =
    sessions.length === 1
      ? sql`VALUES (${projectId}, ${first.id}, ${first.startedAt}::timestamptz, ${first.seenAt}::timestamptz,
          ${first.endedAt}::timestamptz, ${first.release}, ${first.recorded}::integer,
          ${multirange(first.received)}::int4multirange)`
      : sql`SELECT ${projectId}, * FROM unnest(${column('id')}::text[], ${column('startedAt')}::timestamptz[],
          ${column('seenAt')}::timestamptz[], ${column('endedAt')}::timestamptz[], ${column('release')}::text[],
          ${column('recorded')}::integer[],
          ${sessions.map(({ received }) => multirange(received))}::int4multirange[])`
  await sql`
    INSERT INTO sessions (project_id, id, started_at, last_seen_at, ended_at, release, recorded, received)
    ${source}
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
