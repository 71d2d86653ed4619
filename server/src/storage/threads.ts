import { sql } from 'kysely'
import type { Database } from '../database/database.js'
import { inSequence } from '../database/distribution.js'
import { assignments } from '../database/parameters.js'
import type { Instant } from '../kernel/instant.js'
import {
  atMost,
  byMember,
  byRange,
  byStart,
  byValue,
  creation,
  type Field,
  indexed,
  json,
  number,
  oneOf,
  orLowest,
  related,
  startOf,
  string,
  tags,
} from '../lists/fields.js'
import { fieldsOf, type Listing, type OrdersOf } from '../lists/listing.js'
import { checkFilesOf } from './files.js'
import { stepsWithScore } from './scores/scores.js'
import { contentOf, ofSomeStep, stepTypes } from './steps.js'
import { byParticipant, participantIds } from './users.js'

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
  stepCount: number
  errorCount: number
  firstMessage: string | null
  stale: boolean
}

const columns = sql`
  t.id, t.name, t.metadata, to_json(t.tags) AS tags, t.created_at AS "createdAt", t.token_count AS "tokenCount",
  t.duration, t.environment, t.participant_id AS "participantId", t.step_count AS "stepCount",
  t.error_count AS "errorCount", t.first_message AS "firstMessage", t.stale`

/** Some score of some step of the thread passes; `path` is the score's name. */
const scoreValue = (projectId: string): Field<'number'> =>
  related(
    'number',
    (condition, db) => {
      const threadsOf = async (stepIds: readonly string[]) => {
        const { rows } = await sql<{ threadId: string }>`
          SELECT DISTINCT s.thread_id AS "threadId" FROM steps s
          WHERE s.project_id = ${projectId} AND s.id = ANY(${stepIds}::text[]) AND s.thread_id IS NOT NULL`.execute(
          db,
        )
        return rows.map(({ threadId }) => threadId)
      }
      return {
        link: sql`t.id`,
        passing: async (threadIds) => {
          const { rows } = await sql<{ id: string }>`
            SELECT s.id FROM steps s
            WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${threadIds}::text[])`.execute(
            db,
          )
          const among = rows.map(({ id }) => id)
          return threadsOf(await stepsWithScore(db, projectId, condition, { among }))
        },
        candidates: async (most) => {
          const found = await stepsWithScore(db, projectId, condition, { most: most + 1 })
          const stepIds = atMost(most, found)
          return stepIds && threadsOf(stepIds)
        },
      }
    },
    { opposites: 'some' },
  )

const tokens = orLowest(sql`t.token_count::float8`)
const duration = orLowest(sql`t.duration`)

export const threadListing = (projectId: string): Listing => ({
  table: sql`threads`,
  alias: sql`t`,
  columns,
  id: sql`t.id`,
  projectId: sql`t.project_id`,
  createdAt: sql`t.created_at`,
  fields: fieldsOf('threads', {
    id: indexed(string(sql`t.id`), byValue(sql`t.id`)),
    participantId: indexed(string(sql`t.participant_id`), byValue(sql`t.participant_id`)),
    participantIdentifiers: oneOf(sql`t.participant_id`, 'list', participantIds(projectId)),
    name: indexed(string(sql`t.name`), byStart(startOf(sql`t.name`))),
    environment: indexed(string(sql`t.environment`), byValue(sql`t.environment`)),
    createdAt: creation(sql`t.created_at`),
    metadata: json(sql`t.metadata`),
    tokenCount: indexed(number(sql`t.token_count`), byRange('tokenCount', tokens, 'float8')),
    duration: indexed(number(sql`t.duration`), byRange('duration', duration, 'float8')),
    stepCount: number(sql`t.step_count`),
    errorCount: number(sql`t.error_count`),
    stepType: stepTypes(projectId),
    stepName: ofSomeStep(projectId, string(sql`s.name`), byStart(startOf(sql`s.name`))),
    stepOutput: ofSomeStep(projectId, json(sql`s.output`)),
    tags: indexed(tags(sql`t.tags`), byMember(sql`t.tags`)),
    scoreValue: scoreValue(projectId),
  }),
  orders: {
    createdAt: { value: sql`t.created_at`, type: 'timestamptz', isIndexed: true },
    tokenCount: { value: tokens, type: 'float8', isIndexed: true },
    duration: { value: duration, type: 'float8', isIndexed: true },
    participant: byParticipant(sql`t.project_id`, sql`t.participant_id`),
  } satisfies OrdersOf<'threads'>,
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

export interface ThreadRef {
  projectId: string
  id: string
}

/** Says that what is summed up of these threads no longer holds. */
export const markThreadsStale = async (
  db: Database,
  threads: readonly ThreadRef[],
): Promise<void> => {
  if (threads.length === 0) return
  const column = (key: keyof ThreadRef) => threads.map((thread) => thread[key])
  await sql`UPDATE threads t SET stale = true
    FROM unnest(${column('projectId')}::text[], ${column('id')}::text[]) AS r (project_id, id)
    WHERE t.project_id = r.project_id AND t.id = r.id AND NOT t.stale`.execute(db)
}

/** Says so of threads of one project. */
export const markStale = (db: Database, projectId: string, ids: readonly string[]): Promise<void> =>
  markThreadsStale(
    db,
    ids.map((id) => ({ projectId, id })),
  )

/** Threads whose sums no longer hold: of a project, of some participants, or of all projects. */
export const findStaleThreads = async (
  db: Database,
  of: { projectId?: string; participantIds?: readonly string[] },
  most: number,
): Promise<ThreadRef[]> => {
  const { rows } = await sql<ThreadRef>`
    SELECT project_id AS "projectId", id FROM threads WHERE stale
      ${of.projectId === undefined ? sql`` : sql`AND project_id = ${of.projectId}`}
      ${of.participantIds === undefined ? sql`` : sql`AND participant_id = ANY(${of.participantIds}::text[])`}
    ORDER BY project_id LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}

const FIRST_MESSAGE_CHARACTERS = 300

/** How the first message of a user in each thread begins. Only the messages that are shown are read. */
const firstMessages = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, string>> => {
  const first = await sql<{ id: string }>`
    SELECT DISTINCT ON (thread_id) id FROM steps
    WHERE project_id = ${projectId} AND thread_id = ANY(${ids}::text[]) AND type = 'user_message' AND ingested
    ORDER BY thread_id, coalesce(start_time, created_at), created_at, id`.execute(db)
  const { rows } = await sql<{ threadId: string; text: string | null }>`
    SELECT s.thread_id AS "threadId",
      left(coalesce(${contentOf(sql`s.output`)}, ${contentOf(sql`s.input`)}, s.name), ${sql.lit(FIRST_MESSAGE_CHARACTERS)}) AS text
    FROM steps s WHERE s.project_id = ${projectId} AND s.id = ANY(${first.rows.map(({ id }) => id)}::text[])`.execute(
    db,
  )
  return new Map(rows.flatMap(({ threadId, text }) => (text ? [[threadId, text] as const] : [])))
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
      steps: number
      errors: number
      tokens: number | null
      duration: number | null
      last: Instant | null
    }>`
      SELECT thread_id AS id, count(*)::integer AS steps, sum(gen_tokens)::bigint AS tokens, max(created_at) AS last,
        count(*) FILTER (WHERE error IS NOT NULL OR gen_error IS NOT NULL)::integer AS errors,
        extract(epoch FROM max(coalesce(end_time, start_time)) - min(coalesce(start_time, end_time)))::float8 AS duration
      FROM steps WHERE project_id = ${projectId} AND thread_id = ANY(${taken}::text[]) AND ingested
      GROUP BY thread_id`.execute(transaction)
    const messages = await firstMessages(transaction, projectId, taken)
    const byId = new Map(sums.rows.map((row) => [row.id, row]))
    const column = <Value>(read: (row: (typeof sums.rows)[number]) => Value) =>
      taken.map((id) => {
        const row = byId.get(id)
        return row === undefined ? null : read(row)
      })
    await sql`
      UPDATE threads t SET token_count = r.tokens, duration = r.duration, last_step_at = r.last,
        step_count = coalesce(r.steps, 0), error_count = coalesce(r.errors, 0), first_message = r.message
      FROM unnest(${taken}::text[], ${column(({ tokens }) => tokens)}::bigint[],
        ${column(({ duration }) => duration)}::float8[], ${column(({ last }) => last)}::timestamptz[],
        ${column(({ steps }) => steps)}::integer[], ${column(({ errors }) => errors)}::integer[],
        ${taken.map((id) => messages.get(id) ?? null)}::text[])
        AS r (id, tokens, duration, last, steps, errors, message)
      WHERE t.project_id = ${projectId} AND t.id = r.id`.execute(transaction)
  })
}

/** Takes out of a thread the attachments of steps that are no longer in it: they went along with their step. */
const leaveToSteps = async (db: Database, projectId: string, threadId: string): Promise<void> => {
  const noted = await sql<{ id: string }>`
    SELECT DISTINCT step_id AS id FROM attachments
    WHERE project_id = ${projectId} AND thread_id = ${threadId} AND step_id IS NOT NULL`.execute(db)
  if (noted.rows.length === 0) return
  const moved = await sql<{ id: string }>`
    SELECT id FROM steps WHERE project_id = ${projectId} AND id = ANY(${noted.rows.map(({ id }) => id)}::text[])
      AND thread_id IS DISTINCT FROM ${threadId}`.execute(db)
  if (moved.rows.length === 0) return
  await sql`UPDATE attachments SET thread_id = NULL
    WHERE project_id = ${projectId} AND thread_id = ${threadId}
      AND step_id = ANY(${moved.rows.map(({ id }) => id)}::text[])`.execute(db)
}

/** Deletes a thread and all that is in it. Whether there was one. Needs a transaction. */
export const deleteThread = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<boolean> => {
  await inSequence(db)
  const { rows } = await sql`
    DELETE FROM threads WHERE project_id = ${projectId} AND id = ${id} RETURNING id`.execute(db)
  if (rows.length === 0) return false
  const steps = sql`SELECT s.id FROM steps s WHERE s.project_id = ${projectId} AND s.thread_id = ${id}`
  await sql`DELETE FROM scores WHERE project_id = ${projectId} AND step_id IN (${steps})`.execute(
    db,
  )
  await leaveToSteps(db, projectId, id)
  const attachments = sql`(thread_id = ${id} OR step_id IN (${steps}))`
  await checkFilesOf(db, projectId, attachments)
  await sql`DELETE FROM attachments WHERE project_id = ${projectId} AND ${attachments}`.execute(db)
  await sql`DELETE FROM steps WHERE project_id = ${projectId} AND thread_id = ${id}`.execute(db)
  return true
}
