import type { Database } from '../database/database.js'
import { cast } from '../database/rows/columns.js'
import { pick, type RowOf, type Sql, select, sql } from '../database/rows/sql.js'
import { s, y, z } from '../database/rows/tables.js'
import { unnest, valuesOf } from '../database/rows/writes.js'
import type { Instant } from '../kernel/instant.js'

export interface SequenceRange {
  from: number
  to: number
}

/** Maximum of ranges of missing numbers, and of losses, in an answer. */
const MAX_LISTED = 1000

const ranges = (rows: Sql) => sql`
  (SELECT coalesce(json_agg(json_build_object('from', lower(r), 'to', upper(r) - 1)), '[]') FROM ${rows})`

const missing = sql`(
  SELECT r FROM unnest(int4multirange(int4range(1, ${z.recorded} + 1)) - ${z.received}) r LIMIT ${sql.lit(MAX_LISTED)}) m`

const columns = select({
  ...pick(z, 'id', 'startedAt', 'lastSeenAt', 'endedAt', 'release', 'recorded'),
  received: cast(
    'integer',
    sql`SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM unnest(${z.received}) r`,
  ),
  missingRanges: cast('json', ranges(missing)).narrow<SequenceRange[]>(),
})

const lossColumns = select({
  ...pick(y, 'sessionId', 'reason', 'threadId'),
  from: y.first,
  to: y.last,
})

export type SessionRow = RowOf<typeof columns>
export type LossRow = RowOf<typeof lossColumns>

export const findSessions = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<SessionRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM sessions z WHERE z.project_id = ${projectId} AND z.id = ANY(${ids}::text[])
    ORDER BY z.started_at, z.id`.execute(db)
  return rows
}

const ofSteps = select({
  threadId: s.threadId.narrow<string>(),
  sessionId: s.sessionId.narrow<string>(),
})
const ofLosses = select({ threadId: y.threadId.narrow<string>(), sessionId: y.sessionId })

/** Returns the sessions that have steps in threads, or that lost some. */
export const findSessionIdsOfThreads = async (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
): Promise<{ threadId: string; sessionId: string }[]> => {
  const { rows } = await sql`
    SELECT ${ofSteps} FROM steps s
    WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${threadIds}::text[]) AND s.session_id IS NOT NULL
    UNION
    SELECT ${ofLosses} FROM session_losses y
    WHERE y.project_id = ${projectId} AND y.thread_id = ANY(${threadIds}::text[])`.execute(db)
  return rows
}

export const findLosses = async (
  db: Database,
  projectId: string,
  sessionIds: readonly string[],
): Promise<LossRow[]> => {
  const { rows } = await sql`
    SELECT ${lossColumns} FROM (
      SELECT *, row_number() OVER (PARTITION BY session_id ORDER BY first) AS place FROM session_losses
      WHERE project_id = ${projectId} AND session_id = ANY(${sessionIds}::text[])) y
    WHERE y.place <= ${MAX_LISTED} ORDER BY y.session_id, y.first`.execute(db)
  return rows
}

const received = select({
  sessionId: z.id,
  ranges: cast('json', ranges(sql`unnest(${z.received} * r.asked) r`)).narrow<SequenceRange[]>(),
})

/** Returns those of some sequence numbers that were received before, by session. */
export const findReceived = async (
  db: Database,
  projectId: string,
  asked: readonly { sessionId: string; sequences: readonly SequenceRange[] }[],
): Promise<{ sessionId: string; ranges: SequenceRange[] }[]> => {
  const { rows } = await sql`
    SELECT ${received}
    FROM unnest(${asked.map(({ sessionId }) => sessionId)}::text[],
      ${asked.map(({ sequences }) => multirange(sequences))}::int4multirange[]) AS r (id, asked)
    JOIN sessions z ON z.project_id = ${projectId} AND z.id = r.id`.execute(db)
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

/** Adds to the stored sessions. Of two reports, the one with more steps decides if the session has ended. */
export const upsertSessions = async (
  db: Database,
  projectId: string,
  sessions: readonly SessionWrite[],
): Promise<void> => {
  const rows = sessions.map(({ seenAt, received, ...session }) => ({
    ...session,
    lastSeenAt: seenAt,
    received: multirange(received),
  }))
  const [row] = rows
  if (row === undefined) return
  // Usually a single one, which a distributed database sends straight to its worker.
  const source =
    rows.length === 1
      ? valuesOf('sessions', { projectId, ...row })
      : sql`(project_id, id, started_at, last_seen_at, ended_at, release, recorded, received)
          SELECT ${projectId}, * FROM ${unnest('sessions', rows, 'id', 'startedAt', 'lastSeenAt', 'endedAt', 'release', 'recorded', 'received')}`
  await sql`
    INSERT INTO sessions ${source}
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
  const rows = losses.map(({ from, to, ...loss }) => ({ ...loss, first: from, last: to }))
  await sql`
    INSERT INTO session_losses (project_id, session_id, first, last, reason, thread_id)
    SELECT DISTINCT ON (session_id, first) ${projectId}, *
    FROM ${unnest('session_losses', rows, 'sessionId', 'first', 'last', 'reason', 'threadId')}
      AS l (session_id, first, last, reason, thread_id)
    ORDER BY session_id, first, last DESC
    ON CONFLICT (project_id, session_id, first) DO UPDATE SET
      last = greatest(excluded.last, session_losses.last),
      thread_id = coalesce(excluded.thread_id, session_losses.thread_id)`.execute(db)
}
