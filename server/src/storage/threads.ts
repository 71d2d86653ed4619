import { sql } from 'kysely'
import type { Instant } from '../domain/instant.js'
import type { Database } from './database.js'
import { checkFilesOf } from './files.js'
import { type Field, instant, json, members, number, string, tags } from './listing/fields.js'
import type { Listing } from './listing/page.js'
import { assignments } from './parameters.js'
import { ofSomeStep, participantIds } from './steps.js'

export interface ThreadRow {
  id: string
  name: string | null
  metadata: unknown
  tags: string[] | null
  createdAt: Instant
  tokenCount: number | null
  duration: number | null
  environment: string | null
  participantId: string | null
  stale: boolean
}

const columns = sql`
  t.id, t.name, t.metadata, to_json(t.tags) AS tags, t.created_at AS "createdAt", t.token_count AS "tokenCount",
  t.duration, t.environment, t.participant_id AS "participantId", t.stale`

/** A type among those of the thread's steps. */
const stepType = (projectId: string): Field =>
  members(
    sql`t.id`,
    (types) => sql`SELECT s.thread_id FROM steps s
      WHERE s.project_id = ${projectId} AND s.thread_id IS NOT NULL AND s.ingested
      ${types === undefined ? sql`` : sql`AND s.type = ANY(${types}::text[])`}`,
    false,
  )

/** Some score of some step of the thread passes; `path` is the score's name. */
const scoreValue = (projectId: string): Field => ({
  kind: 'number',
  nullable: false,
  test: (condition) => sql`coalesce(t.id IN (
    SELECT s.thread_id FROM steps s WHERE s.project_id = ${projectId} AND s.thread_id IS NOT NULL AND s.id IN (
      SELECT c.step_id FROM scores c WHERE c.project_id = ${projectId} AND c.step_id IS NOT NULL
      ${condition.path === undefined ? sql`` : sql`AND c.name = ${condition.path}`}
      AND ${number(sql`c.value`).test(condition)})), false)`,
})

export const threadListing = (projectId: string): Listing => ({
  from: sql`threads t`,
  columns,
  id: sql`t.id`,
  projectId: sql`t.project_id`,
  createdAt: sql`t.created_at`,
  fields: {
    id: string(sql`t.id`, false),
    createdAt: instant(sql`t.created_at`, false),
    name: string(sql`t.name`),
    metadata: json(sql`t.metadata`),
    tokenCount: number(sql`t.token_count`),
    duration: number(sql`t.duration`),
    stepType: stepType(projectId),
    stepName: ofSomeStep(projectId, 'string', true, sql`s.name`),
    stepOutput: ofSomeStep(projectId, 'json', true, sql`s.output`),
    tags: tags(sql`t.tags`),
    participantId: string(sql`t.participant_id`),
    participantIdentifiers: members(sql`t.participant_id`, participantIds(projectId)),
    scoreValue: scoreValue(projectId),
    environment: string(sql`t.environment`),
  },
  orders: {
    createdAt: { value: sql`t.created_at`, type: 'timestamptz' },
    tokenCount: {
      value: sql`coalesce(t.token_count::float8, '-Infinity'::float8)`,
      type: 'float8',
    },
    duration: { value: sql`coalesce(t.duration, '-Infinity'::float8)`, type: 'float8' },
    participant: {
      value: sql`coalesce((SELECT p.identifier FROM participants p
        WHERE p.project_id = t.project_id AND p.id = t.participant_id), '')`,
      type: 'text',
    },
  },
})

export const findThreads = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<ThreadRow[]> => {
  const { rows } = await sql<ThreadRow>`
    SELECT ${columns} FROM threads t WHERE t.project_id = ${projectId} AND t.id = ANY(${ids}::text[])`.execute(
    db,
  )
  return rows
}

/** Reads a thread and keeps others from changing it until the transaction ends. */
export const lockThread = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<ThreadRow | undefined> => {
  const { rows } = await sql<ThreadRow>`
    SELECT ${columns} FROM threads t WHERE t.project_id = ${projectId} AND t.id = ${id} FOR UPDATE`.execute(
    db,
  )
  return rows[0]
}

export interface SeenThread {
  projectId: string
  id: string
  environment: string
  createdAt: Instant
}

/** Creates the threads that steps name, and marks all of them as having new steps. Gives who takes part in each. */
export const touchThreads = async (
  db: Database,
  threads: readonly SeenThread[],
): Promise<{ projectId: string; id: string; participantId: string | null }[]> => {
  const column = (key: keyof SeenThread) => threads.map((thread) => thread[key])
  const { rows } = await sql<{ projectId: string; id: string; participantId: string | null }>`
    INSERT INTO threads (project_id, id, environment, created_at, stale)
    SELECT *, true FROM unnest(${column('projectId')}::text[], ${column('id')}::text[],
      ${column('environment')}::text[], ${column('createdAt')}::timestamptz[])
    ON CONFLICT (project_id, id) DO UPDATE SET stale = true,
      environment = coalesce(threads.environment, excluded.environment)
    RETURNING project_id AS "projectId", id, participant_id AS "participantId"`.execute(db)
  return rows
}

export const insertThread = async (
  db: Database,
  projectId: string,
  thread: { id: string; environment: string; createdAt: Instant },
): Promise<void> => {
  await sql`
    INSERT INTO threads (project_id, id, environment, created_at)
    VALUES (${projectId}, ${thread.id}, ${thread.environment}, ${thread.createdAt}::timestamptz)
    ON CONFLICT (project_id, id) DO NOTHING`.execute(db)
}

/** Sets the columns that are given. */
export const updateThread = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Record<string, unknown>,
): Promise<void> => {
  const set = assignments(changes)
  if (set !== undefined)
    await sql`UPDATE threads SET ${set} WHERE project_id = ${projectId} AND id = ${id}`.execute(db)
}

/** Repeats a thread's participant on its steps, where lists look for it. */
export const assignParticipant = async (
  db: Database,
  projectId: string,
  threadId: string,
  participantId: string | null,
): Promise<void> => {
  await sql`UPDATE steps SET participant_id = ${participantId}::text
    WHERE project_id = ${projectId} AND thread_id = ${threadId}
      AND participant_id IS DISTINCT FROM ${participantId}::text`.execute(db)
}

/** Says that what is summed up of these threads no longer holds. */
export const markStale = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<void> => {
  await sql`UPDATE threads SET stale = true
    WHERE project_id = ${projectId} AND id = ANY(${ids}::text[]) AND NOT stale`.execute(db)
}

export const findStaleThreads = async (db: Database, projectId: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM threads WHERE project_id = ${projectId} AND stale`.execute(db)
  return rows.map((row) => row.id)
}

/**
 * Sums up the steps of threads anew. The marks are taken first: whoever adds steps meanwhile waits for this
 * transaction's row locks and marks the thread again, so no step is missed.
 */
export const sumUpThreads = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<void> => {
  await db.transaction().execute(async (transaction) => {
    const marked = await sql<{ id: string }>`
      UPDATE threads SET stale = false WHERE project_id = ${projectId} AND id = ANY(${ids}::text[]) AND stale
      RETURNING id`.execute(transaction)
    const taken = marked.rows.map((row) => row.id)
    if (taken.length === 0) return
    const sums = await sql<{
      id: string
      tokens: number | null
      duration: number | null
      last: Instant | null
    }>`
      SELECT thread_id AS id, sum(gen_tokens)::bigint AS tokens, max(created_at) AS last,
        extract(epoch FROM max(coalesce(end_time, start_time)) - min(coalesce(start_time, end_time)))::float8 AS duration
      FROM steps WHERE project_id = ${projectId} AND thread_id = ANY(${taken}::text[]) AND ingested
      GROUP BY thread_id`.execute(transaction)
    const byId = new Map(sums.rows.map((row) => [row.id, row]))
    await sql`
      UPDATE threads t SET token_count = r.tokens, duration = r.duration, last_step_at = r.last
      FROM unnest(${taken}::text[], ${taken.map((id) => byId.get(id)?.tokens ?? null)}::bigint[],
        ${taken.map((id) => byId.get(id)?.duration ?? null)}::float8[],
        ${taken.map((id) => byId.get(id)?.last ?? null)}::timestamptz[]) AS r (id, tokens, duration, last)
      WHERE t.project_id = ${projectId} AND t.id = r.id`.execute(transaction)
  })
}

/** Deletes a thread and all that is in it. Whether there was one. */
export const deleteThread = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<boolean> => {
  const { rows } = await sql`
    DELETE FROM threads WHERE project_id = ${projectId} AND id = ${id} RETURNING id`.execute(db)
  if (rows.length === 0) return false
  const steps = sql`SELECT s.id FROM steps s WHERE s.project_id = ${projectId} AND s.thread_id = ${id}`
  await sql`DELETE FROM scores WHERE project_id = ${projectId} AND step_id IN (${steps})`.execute(
    db,
  )
  const attachments = sql`(thread_id = ${id} OR step_id IN (${steps}))`
  await checkFilesOf(db, projectId, attachments)
  await sql`DELETE FROM attachments WHERE project_id = ${projectId} AND ${attachments}`.execute(db)
  await sql`DELETE FROM steps WHERE project_id = ${projectId} AND thread_id = ${id}`.execute(db)
  return true
}
