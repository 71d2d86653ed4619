import type { Database } from '../../database/database.js'
import { EscapedText } from '../../database/parameters.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { t } from '../../database/rows/tables.js'
import { unnest } from '../../database/rows/writes.js'
import { encodeJson } from '../../database/text.js'
import type { Instant } from '../../kernel/instant.js'
import { noteOfFirst } from './columns.js'

const lockedColumns = select(pick(t, 'id', 'metadata', 'participantId'))

export type LockedThread = RowOf<typeof lockedColumns>

/**
 * Creates the threads that are new, and locks all of them until the transaction ends. The lock is a statement that
 * changes nothing: rows that are on many workers cannot be locked by `FOR UPDATE`.
 */
export const lockThreads = async (
  db: Database,
  projectId: string,
  threads: readonly { id: string; environment: string; createdAt: Instant }[],
): Promise<LockedThread[]> => {
  const { rows } = await sql`
    INSERT INTO threads AS t (project_id, id, environment, created_at)
    SELECT ${projectId}, * FROM ${unnest('threads', threads, 'id', 'environment', 'createdAt')}
    ON CONFLICT (project_id, id) DO UPDATE SET environment = t.environment
    RETURNING ${lockedColumns}`.execute(db)
  return rows
}

/** Changes of a thread: absent members stay unchanged. */
export interface ThreadChanges {
  id: string
  name?: string | null
  metadata?: Record<string, unknown> | null
  tags?: readonly string[] | null
  participantId?: string | null
}

export const updateThreads = async (
  db: Database,
  projectId: string,
  threads: readonly ThreadChanges[],
): Promise<void> => {
  if (threads.length === 0) return
  const records = threads.map(({ id, name, metadata, tags, participantId }) => ({
    id,
    name,
    named: name !== undefined,
    metadata,
    described: metadata !== undefined,
    tags,
    tagged: tags !== undefined,
    participant: participantId,
    assigned: participantId !== undefined,
  }))
  await sql`
    UPDATE threads t SET
      name = CASE WHEN r.named THEN r.name ELSE t.name END,
      metadata = CASE WHEN r.described THEN r.metadata ELSE t.metadata END,
      tags = CASE WHEN r.tagged THEN r.tags ELSE t.tags END,
      participant_id = CASE WHEN r.assigned THEN r.participant ELSE t.participant_id END
    FROM json_to_recordset(${new EscapedText(encodeJson(records))}::json) AS r (id text, name text, named boolean,
      metadata json, described boolean, tags text[], tagged boolean, participant text, assigned boolean)
    WHERE t.project_id = ${projectId} AND t.id = r.id`.execute(db)
}

/**
 * Copies threads' participants to their steps, where lists look for them. Threads and steps that had another one before
 * keep a note of the first.
 */
export const assignParticipants = async (
  db: Database,
  projectId: string,
  threads: readonly { threadId: string; participantId: string | null; before: string | null }[],
): Promise<void> => {
  if (threads.length === 0) return
  const left = threads.filter(({ before }) => before !== null)
  if (left.length > 0)
    await sql`
      UPDATE threads t SET noted_participants = ARRAY[r.before]
      FROM unnest(${left.map(({ threadId }) => threadId)}::text[], ${left.map(({ before }) => before)}::text[])
        AS r (id, before)
      WHERE t.project_id = ${projectId} AND t.id = r.id AND t.noted_participants IS NULL`.execute(
      db,
    )
  await assignSteps(db, projectId, threads)
}

/** Assigns steps of threads to a participant: all of these, or some by their ids. */
export const assignSteps = async (
  db: Database,
  projectId: string,
  threads: readonly { threadId: string; participantId: string | null }[],
  ids?: readonly string[],
): Promise<void> => {
  await sql`
    UPDATE steps s SET participant_id = r.participant_id,
      noted_participants = ${sql.raw(noteOfFirst('s', 'r.participant_id'))}
    FROM ${unnest('steps', threads, 'threadId', 'participantId')} AS r (thread_id, participant_id)
    WHERE s.project_id = ${projectId} AND s.thread_id = r.thread_id
      ${ids === undefined ? sql`` : sql`AND s.id = ANY(${[...ids]}::text[])`}
      AND s.participant_id IS DISTINCT FROM r.participant_id`.execute(db)
}

/** Counts steps of threads by the thread, up to a number for all of them together. */
export const countStepsOfThreads = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  most: number,
): Promise<Map<string, number>> => {
  const columns = select({
    id: cast('text', sql`counted.thread_id`),
    steps: cast('integer', sql`count(*)::integer`),
  })
  const { rows } = await sql`
    SELECT ${columns} FROM (
      SELECT s.thread_id FROM steps s
      WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${[...ids]}::text[]) LIMIT ${sql.lit(most)}
    ) AS counted GROUP BY counted.thread_id`.execute(db)
  return new Map(rows.map(({ id, steps }) => [id, steps]))
}
