import type { Database } from '../../database/database.js'
import { pick, select, sql } from '../../database/rows/sql.js'
import { a, s } from '../../database/rows/tables.js'
import { unnest } from '../../database/rows/writes.js'

export interface TraceMove {
  /** The thread of the trace, whose id it has. */
  from: string
  into: string
  /** The participant of the thread that the steps move into. */
  participantId: string | null
}

/**
 * Moves the steps of traces from threads of their own to others, and deletes those threads when nothing is left there:
 * no step of another kind, no metadata, no tag. Needs a transaction that has locked the threads.
 */
export const moveTraces = async (
  db: Database,
  projectId: string,
  traces: readonly TraceMove[],
): Promise<void> => {
  const from = traces.map((trace) => trace.from)
  const into = traces.map((trace) => trace.into)
  const participants = traces.map(({ participantId }) => participantId)
  const moved = await sql`
    UPDATE steps s SET thread_id = r.into_id, participant_id = r.participant_id
    FROM unnest(${from}::text[], ${into}::text[], ${participants}::text[]) AS r (from_id, into_id, participant_id)
    WHERE s.project_id = ${projectId} AND s.thread_id = r.from_id AND starts_with(s.id, r.from_id || '-')
    RETURNING ${select({ id: s.id, threadId: s.threadId.narrow<string>() })}`.execute(db)
  // An attachment is in the thread of its step.
  if (moved.rows.length > 0)
    await sql`
      UPDATE attachments a SET thread_id = r.thread_id
      FROM ${unnest('steps', moved.rows, 'id', 'threadId')} AS r (step_id, thread_id)
      WHERE a.project_id = ${projectId} AND a.step_id = r.step_id AND a.thread_id IS NOT NULL`.execute(
      db,
    )
  const others = await sql`
    SELECT DISTINCT ${select({ threadId: s.threadId.narrow<string>() })} FROM steps s
    WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${from}::text[])`.execute(db)
  const attached = await sql`
    SELECT DISTINCT ${select({ threadId: a.threadId.narrow<string>() })} FROM attachments a
    WHERE a.project_id = ${projectId} AND a.thread_id = ANY(${from}::text[])`.execute(db)
  const kept = new Set([
    ...others.rows.map(({ threadId }) => threadId),
    ...attached.rows.map(({ threadId }) => threadId),
  ])
  const empty = from.filter((id) => !kept.has(id))
  await sql`
    DELETE FROM threads WHERE project_id = ${projectId} AND id = ANY(${empty}::text[])
      AND metadata IS NULL AND coalesce(cardinality(tags), 0) = 0`.execute(db)
}

/** Returns the threads of those of the steps that are in one. */
export const findThreadsById = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<{ id: string; threadId: string }[]> => {
  const { rows } = await sql`
    SELECT ${select({ ...pick(s, 'id'), threadId: s.threadId.narrow<string>() })} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[]) AND s.thread_id IS NOT NULL`.execute(
    db,
  )
  return rows
}
