import type { Database } from '../database/database.js'
import { inSequence } from '../database/distribution/cluster.js'
import { cast } from '../database/rows/columns.js'
import { insertion } from '../database/rows/insertion.js'
import { pick, type RowOf, type Sql, select, sql } from '../database/rows/sql.js'
import { a, s, t } from '../database/rows/tables.js'
import { assignments, type Changes, valuesOf } from '../database/rows/writes.js'
import type { Instant } from '../kernel/instant.js'
import {
  byCountOfSome,
  byMember,
  byPresence,
  byRange,
  byStart,
  byValue,
  creation,
  indexed,
  json,
  number,
  orLowest,
  startOf,
  string,
  tags,
} from '../lists/fields.js'
import { fieldsOf, type Listing, type OrdersOf } from '../lists/listing.js'
import { contentOfStep, inContents } from './contents/texts.js'
import { byEnd, NO_ENDING } from './conversations/ending.js'
import { type StepOrigin, stepOrigin } from './erasure/notes.js'
import { checkFilesOf } from './files.js'
import { byKey, findThreadsOfSteps, type StepRef } from './ingestion/write.js'
import { inDollars } from './prices/costs.js'
import { byStarts, started, startOfThread } from './reading/starts.js'
import { scoreOfThread } from './scores/of-threads.js'
import { ofSomeStep, stepListing, stepTypes } from './steps.js'
import { byParticipant, ofUser } from './users.js'

const columns = select(
  pick(
    t,
    'id',
    'name',
    'metadata',
    'tags',
    'createdAt',
    'startedAt',
    'tokenCount',
    'cost',
    'unpricedCount',
    'duration',
    'environment',
    'participantId',
    'stepCount',
    'errorCount',
    'firstMessage',
    'lastMessage',
    'firstError',
    'stale',
  ),
)

export type ThreadRow = RowOf<typeof columns>

const tokens = orLowest(cast('float8 | null', t.tokenCount))
const duration = orLowest(t.duration)
const starts = byStarts(startOfThread)
const dollars = inDollars(t.cost)
const cost = orLowest(dollars)

export const threadListing = (projectId: string, ending = NO_ENDING): Listing<ThreadRow> => ({
  name: 'threads',
  table: sql`threads`,
  alias: sql`t`,
  columns,
  id: t.id,
  projectId: t.projectId,
  createdAt: t.createdAt,
  indexOrder: starts.indexOrder,
  list: 'threads',
  some: { listing: stepListing(projectId, 'light'), link: s.threadId },
  fields: fieldsOf('threads', {
    id: indexed(string(t.id), byValue(t.id)),
    participantId: indexed(string(t.participantId), byValue(t.participantId)),
    participantIdentifiers: ofUser(projectId, t.participantId),
    name: indexed(string(t.name), byStart(startOf(t.name))),
    errorCount: indexed(number(t.errorCount), byCountOfSome(t.errorCount)),
    environment: indexed(string(t.environment), byValue(t.environment)),
    createdAt: creation(t.createdAt),
    startedAt: started(startOfThread),
    metadata: json(t.metadata),
    tokenCount: indexed(number(t.tokenCount), byRange('tokenCount', tokens, 'float8')),
    duration: indexed(number(t.duration), byRange('duration', duration, 'float8')),
    cost: indexed(number(dollars), byRange('cost', cost, 'float8')),
    unpricedCount: number(t.unpricedCount),
    stepCount: number(t.stepCount),
    stepType: stepTypes(projectId),
    stepName: ofSomeStep(projectId, inContents(string(s.name)), byStart(startOf(s.name))),
    stepOutput: ofSomeStep(projectId, inContents(json(s.output))),
    stepContent: ofSomeStep(projectId, contentOfStep),
    stepError: ofSomeStep(projectId, inContents(string(s.error)), byPresence(s.error)),
    tags: indexed(tags(t.tags), byMember(t.tags)),
    scoreValue: scoreOfThread(projectId),
    endedAt: byEnd(ending),
  }),
  orders: {
    createdAt: { value: t.createdAt, type: 'timestamptz', isIndexed: true },
    ...starts.orders,
    tokenCount: { value: tokens, type: 'float8', isIndexed: true },
    duration: { value: duration, type: 'float8', isIndexed: true },
    cost: { value: cost, type: 'float8', isIndexed: true },
    participant: byParticipant(t.projectId, t.participantId),
  } satisfies OrdersOf<'threads'>,
})

export const findThreads = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<ThreadRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM threads t WHERE t.project_id = ${projectId} AND t.id = ANY(${ids}::text[])`.execute(
    db,
  )
  return rows
}

/** Reads a thread and locks it until the transaction ends. */
export const lockThread = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<ThreadRow | undefined> => {
  const { rows } = await sql`
    SELECT ${columns} FROM threads t WHERE t.project_id = ${projectId} AND t.id = ${id} FOR UPDATE`.execute(
    db,
  )
  return rows[0]
}

const reference = select(pick(t, 'projectId', 'id'))
export type ThreadRef = RowOf<typeof reference>

export interface SeenThread {
  projectId: string
  id: string
  environment: string
  createdAt: Instant
  /** The first start of the steps that came; null when they told none. */
  startedAt: Instant | null
}

/**
 * Creates the threads that steps name, and marks all of them as having new steps. An earlier start holds at once; only the
 * sums find out that it became later. Returns the participant of each.
 */
export const touchThreads = (
  db: Database,
  threads: readonly SeenThread[],
): Promise<{ projectId: string; id: string; participantId: string | null }[]> =>
  touching.run(
    db,
    threads.map(({ projectId, id, environment, createdAt, startedAt }) => [
      projectId,
      id,
      environment,
      createdAt,
      startedAt,
    ]),
  )

const touching = insertion({
  into: 'threads AS t',
  columns: ['project_id', 'id', 'environment', 'created_at', 'started_at'],
  constants: { stale: 'true' },
  after: `ON CONFLICT (project_id, id) DO UPDATE SET stale = true,
      started_at = least(t.started_at, excluded.started_at),
      environment = coalesce(t.environment, excluded.environment)`,
  returned: select(pick(t, 'projectId', 'id', 'participantId')),
})

/**
 * Creates a thread unless there is one, and locks it: one that is being deleted is waited for, and then created again, where
 * `DO NOTHING` would take it for one that stays.
 */
export const insertThread = async (
  db: Database,
  projectId: string,
  thread: { id: string; environment: string; createdAt: Instant },
): Promise<void> => {
  await sql`
    INSERT INTO threads AS t ${valuesOf('threads', { projectId, ...thread })}
    ON CONFLICT (project_id, id) DO UPDATE SET environment = t.environment`.execute(db)
}

/** Updates the given columns. */
export const updateThread = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Changes<'threads'>,
): Promise<void> => {
  const set = assignments('threads', changes)
  if (set !== undefined)
    await sql`UPDATE threads SET ${set} WHERE project_id = ${projectId} AND id = ${id}`.execute(db)
}

/** A thread whose sums become stale. Its words go at once, as the step that said them may be deleted now, unless it keeps them. */
export interface StaleMark extends ThreadRef {
  keepsWords?: boolean
}

/**
 * Marks the sums of these threads as stale, and locks them: a thread whose sums are computed now would not be computed
 * again. Transactions lock threads before steps, all of them by one statement.
 */
export const markThreadsStale = async (
  db: Database,
  threads: readonly StaleMark[],
): Promise<void> => {
  if (threads.length === 0) return
  // In the order in which batches lock them; the database mostly keeps to it.
  const inOrder = threads.toSorted(byKey)
  const unlessKept = (word: Sql) => sql`CASE WHEN r.keeps_words THEN ${word} END`
  await sql`
    UPDATE threads t SET stale = true, first_message = ${unlessKept(t.firstMessage)},
      last_message = ${unlessKept(t.lastMessage)}, first_error = ${unlessKept(t.firstError)},
      words_taken = t.words_taken + CASE WHEN r.keeps_words THEN 0 ELSE 1 END,
      figures_changed = t.figures_changed + CASE WHEN r.keeps_words THEN 1 ELSE 0 END
    FROM unnest(${inOrder.map(({ projectId }) => projectId)}::text[], ${inOrder.map(({ id }) => id)}::text[],
      ${inOrder.map(({ keepsWords = false }) => keepsWords)}::boolean[]) AS r (project_id, id, keeps_words)
    WHERE t.project_id = r.project_id AND t.id = r.id`.execute(db)
}

/**
 * Marks the sums of the threads of stored steps as stale, before a transaction locks these steps. Returns the threads: a
 * step may be in another one by the time that it is locked, which is then still to be marked.
 */
const markThreadsOfSteps = async (
  db: Database,
  steps: readonly StepRef[],
): Promise<ThreadRef[]> => {
  const threads = await findThreadsOfSteps(db, steps)
  await markThreadsStale(db, threads)
  return threads
}

/** Marks the sums of threads of one project as stale. */
export const markStale = (db: Database, projectId: string, ids: readonly string[]): Promise<void> =>
  markThreadsStale(
    db,
    ids.map((id) => ({ projectId, id })),
  )

/**
 * Changes steps of one project that are in threads: marks these threads, makes the change, and marks the threads that it
 * returns if they are others. Needs a transaction.
 */
export const changeSteps = async <Result>(
  db: Database,
  projectId: string,
  stepIds: readonly string[],
  change: () => Promise<{ result: Result; threadIds: readonly (string | null)[] }>,
): Promise<Result> => {
  const marked = await markThreadsOfSteps(
    db,
    stepIds.map((id) => ({ projectId, id })),
  )
  const known = new Set(marked.map(({ id }) => id))
  const { result, threadIds } = await change()
  const others = new Set(threadIds.flatMap((id) => (id === null || known.has(id) ? [] : id)))
  await markStale(db, projectId, [...others].sort())
  return result
}

/** Returns threads with stale sums: of a project, of some participants, or of all projects. */
export const findStaleThreads = async (
  db: Database,
  of: { projectId?: string; participantIds?: readonly string[] },
  most: number,
): Promise<ThreadRef[]> => {
  const { rows } = await sql`
    SELECT ${reference} FROM threads t WHERE t.stale
      ${of.projectId === undefined ? sql`` : sql`AND t.project_id = ${of.projectId}`}
      ${of.participantIds === undefined ? sql`` : sql`AND t.participant_id = ANY(${of.participantIds}::text[])`}
    ORDER BY t.project_id LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}

/** Takes the attachments of steps that have left some threads out of these: an attachment follows its step. */
const leaveToSteps = async (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
): Promise<void> => {
  const noted = await sql`
    SELECT DISTINCT ${select({ id: a.stepId.narrow<string>() })} FROM attachments a
    WHERE a.project_id = ${projectId} AND a.thread_id = ANY(${threadIds}::text[]) AND a.step_id IS NOT NULL`.execute(
    db,
  )
  if (noted.rows.length === 0) return
  const moved = await sql`
    SELECT ${select(pick(s, 'id'))} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${noted.rows.map(({ id }) => id)}::text[])
      AND (s.thread_id = ANY(${threadIds}::text[])) IS NOT TRUE`.execute(db)
  if (moved.rows.length === 0) return
  await sql`UPDATE attachments SET thread_id = NULL
    WHERE project_id = ${projectId} AND thread_id = ANY(${threadIds}::text[])
      AND step_id = ANY(${moved.rows.map(({ id }) => id)}::text[])`.execute(db)
}

/**
 * Deletes threads and all that is in them. Returns the ids of those that there were, and the participants of their steps.
 * Needs a transaction.
 */
export const deleteThreads = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<{ ids: string[]; steps: StepOrigin[] }> => {
  await inSequence(db)
  const isOfThread = sql`thread_id = ANY(${ids}::text[])`
  // First, as requests with spans lock them in this order too.
  await sql`DELETE FROM traces WHERE project_id = ${projectId} AND ${isOfThread}`.execute(db)
  const { rows } = await sql`
    DELETE FROM threads t WHERE t.project_id = ${projectId} AND t.id = ANY(${ids}::text[])
    RETURNING ${select(pick(t, 'id'))}`.execute(db)
  const there = rows.map(({ id }) => id)
  if (there.length === 0) return { ids: [], steps: [] }
  const steps = sql`SELECT s.id FROM steps s WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${there}::text[])`
  await leaveToSteps(db, projectId, there)
  // One after the other, as each has an index, and both together have none.
  for (const isTheirs of [sql`thread_id = ANY(${there}::text[])`, sql`step_id IN (${steps})`]) {
    await sql`DELETE FROM scores WHERE project_id = ${projectId} AND ${isTheirs}`.execute(db)
    await checkFilesOf(db, projectId, isTheirs)
    await sql`DELETE FROM attachments WHERE project_id = ${projectId} AND ${isTheirs}`.execute(db)
  }
  await sql`DELETE FROM span_logs WHERE project_id = ${projectId} AND step_id IN (${steps})`.execute(
    db,
  )
  const deleted = await sql`
    DELETE FROM steps s WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${there}::text[])
    RETURNING ${stepOrigin}`.execute(db)
  return { ids: there, steps: deleted.rows }
}

/**
 * Deletes a thread and all that is in it. Returns the participants of its steps, or undefined when there was no such
 * thread. Needs a transaction.
 */
export const deleteThread = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<StepOrigin[] | undefined> => {
  const { ids, steps } = await deleteThreads(db, projectId, [id])
  return ids.length === 0 ? undefined : steps
}
