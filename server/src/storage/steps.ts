import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/database.js'
import { inSequence } from '../database/distribution.js'
import { assignments } from '../database/parameters.js'
import type { Instant } from '../kernel/instant.js'
import type { Condition, Kind } from '../lists/conditions.js'
import {
  atMost,
  byMember,
  byPresence,
  byStart,
  byValue,
  creation,
  type Field,
  type IndexHint,
  indexed,
  instant,
  json,
  type OwnField,
  oneOf,
  related,
  startOf,
  string,
  tags,
} from '../lists/fields.js'
import { fieldsOf, type Listing, type OrdersOf } from '../lists/listing.js'
import { checkFilesOf } from './files.js'
import { scoreOfStep } from './scores/scores.js'
import { participantIds } from './users.js'

export interface StepRow {
  id: string
  threadId: string | null
  rootRunId: string | null
  parentId: string | null
  type: string
  name: string | null
  startTime: Instant | null
  endTime: Instant | null
  createdAt: Instant
  input: unknown
  output: unknown
  metadata: unknown
  error: string | null
  tags: string[] | null
  environment: string | null
  sessionId: string | null
  sequence: number | null
  hasGeneration: boolean
  genType: 'CHAT' | 'COMPLETION'
  genPrompt: string | null
  genCompletion: string | null
  genMessages: unknown
  genMessageCompletion: unknown
  genProvider: string | null
  genModel: string | null
  genVariables: unknown
  genTools: unknown
  genSettings: unknown
  genPromptId: string | null
  genTokens: number | null
  genInputTokenCount: number | null
  genOutputTokenCount: number | null
  genTtFirstToken: number | null
  genDuration: number | null
  genTokenThroughput: number | null
  genError: string | null
  genTags: string[] | null
  genMetadata: unknown
}

/** Said by the client, or read off what the generation holds. */
export const genType = sql`coalesce(s.gen_type, CASE
  WHEN s.gen_messages IS NULL AND s.gen_message_completion IS NULL
    AND (s.gen_prompt IS NOT NULL OR s.gen_completion IS NOT NULL)
  THEN 'COMPLETION' ELSE 'CHAT' END)`

/** What can be large is left where it is unless it is asked for: the database then does not even read it. */
const ownColumns = sql`
  s.id, s.thread_id AS "threadId", s.root_run_id AS "rootRunId", s.parent_id AS "parentId", s.type, s.name,
  s.start_time AS "startTime", s.end_time AS "endTime", s.created_at AS "createdAt", s.error,
  to_json(s.tags) AS tags, s.environment, s.session_id AS "sessionId", s.sequence,
  s.has_generation AS "hasGeneration", ${genType} AS "genType",
  s.gen_provider AS "genProvider", s.gen_model AS "genModel",
  s.gen_prompt_id AS "genPromptId", s.gen_tokens AS "genTokens",
  s.gen_input_token_count AS "genInputTokenCount", s.gen_output_token_count AS "genOutputTokenCount",
  s.gen_tt_first_token AS "genTtFirstToken", s.gen_duration AS "genDuration",
  s.gen_token_throughput AS "genTokenThroughput", s.gen_error AS "genError", to_json(s.gen_tags) AS "genTags"`
const payloadColumns = sql`
  s.input, s.output, s.metadata, s.gen_prompt AS "genPrompt", s.gen_completion AS "genCompletion",
  s.gen_messages AS "genMessages", s.gen_message_completion AS "genMessageCompletion",
  s.gen_variables AS "genVariables", s.gen_tools AS "genTools", s.gen_settings AS "genSettings",
  s.gen_metadata AS "genMetadata"`

/** Whether rows of steps are wanted with what went in and out, or only with the rest. */
export type StepParts = 'all' | 'light'
const columnsOf = (parts: StepParts) =>
  parts === 'light' ? ownColumns : sql`${ownColumns}, ${payloadColumns}`
const columns = columnsOf('all')

/** The text that a payload holds where it is one. */
export const contentOf = (payload: RawBuilder<unknown>) =>
  sql`(CASE WHEN json_typeof(${payload}) = 'object' THEN ${payload} ->> 'content' END)`

export const participantOfStep = (projectId: string) =>
  oneOf(sql`s.participant_id`, 'list', participantIds(projectId))

/** What lists of steps, and of the generations that they carry, have in common. */
export const stepRows = (parts: StepParts) => ({
  table: sql`steps`,
  alias: sql`s`,
  columns: columnsOf(parts),
  id: sql`s.id`,
  projectId: sql`s.project_id`,
  createdAt: sql`s.created_at`,
})
export const newestStep = {
  createdAt: { value: sql`s.created_at`, type: 'timestamptz', isIndexed: true },
} as const

const reference = (value: RawBuilder<unknown>) => indexed(string(value), byValue(value))
export const stepId = indexed(string(sql`s.id`), byValue(sql`s.id`))
export const stepEnvironment = reference(sql`s.environment`)

/** Those that few rows share come first: of several with an index, the first one leads. */
export const stepListing = (projectId: string, parts: StepParts = 'all'): Listing => ({
  ...stepRows(parts),
  always: sql`s.ingested`,
  fields: fieldsOf('steps', {
    id: stepId,
    threadId: reference(sql`s.thread_id`),
    parentId: reference(sql`s.parent_id`),
    rootRunId: reference(sql`s.root_run_id`),
    participantIdentifiers: participantOfStep(projectId),
    participantIdentifier: participantOfStep(projectId),
    error: indexed(string(sql`s.error`), byPresence(sql`s.error`)),
    name: indexed(string(sql`s.name`), byStart(startOf(sql`s.name`))),
    type: indexed(string(sql`s.type`), byValue(sql`s.type`)),
    environment: stepEnvironment,
    createdAt: creation(sql`s.created_at`),
    startTime: instant(sql`s.start_time`),
    endTime: instant(sql`s.end_time`),
    input: json(sql`s.input`),
    output: json(sql`s.output`),
    metadata: json(sql`s.metadata`),
    tags: indexed(tags(sql`s.tags`), byMember(sql`s.tags`)),
    score: scoreOfStep(projectId),
  }),
  orders: newestStep satisfies OrdersOf<'steps'>,
})

/** A relation of threads to those of their steps that pass; `lead` is the condition as an index of steps answers it. */
const byStep = (
  db: Database,
  projectId: string,
  test: RawBuilder<unknown>,
  indexHint: RawBuilder<unknown> | undefined,
) => {
  const threads = async (distinct: RawBuilder<unknown>, among: RawBuilder<unknown>) => {
    const { rows } = await sql<{ threadId: string }>`
      SELECT ${distinct} s.thread_id AS "threadId" FROM steps s
      WHERE s.project_id = ${projectId} AND s.thread_id IS NOT NULL AND s.ingested AND ${test} AND ${among}`.execute(
      db,
    )
    return rows.map(({ threadId }) => threadId)
  }
  return {
    link: sql`t.id`,
    passing: (ids: readonly string[]) =>
      threads(sql`DISTINCT`, sql`s.thread_id = ANY(${ids}::text[])`),
    ...(indexHint === undefined
      ? {}
      : {
          candidates: async (most: number) => {
            const found = await threads(sql``, sql`${indexHint} LIMIT ${sql.lit(most + 1)}`)
            const few = atMost(most, found)
            return few && [...new Set(few)]
          },
        }),
  }
}

/** A field of threads that holds when one of their steps passes. */
export const ofSomeStep = <Held extends Kind>(
  projectId: string,
  { kind, test }: OwnField<Held>,
  indexHint: (condition: Condition) => IndexHint | undefined = () => undefined,
): Field<Held> =>
  related(
    kind,
    (condition, db) => byStep(db, projectId, test(condition), indexHint(condition)?.test),
    {
      opposites: 'some',
    },
  )

/** The types among those of a thread's steps. */
export const stepTypes = (projectId: string): Field<'list'> =>
  related(
    'list',
    (condition, db) => {
      const test = sql`s.type = ANY(${condition.value}::text[])`
      return byStep(db, projectId, test, test)
    },
    { opposites: 'none' },
  )

export const findSteps = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  parts: StepParts = 'all',
): Promise<StepRow[]> => {
  const { rows } = await sql<StepRow>`
    SELECT ${columnsOf(parts)} FROM steps s WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[])`.execute(
    db,
  )
  return rows
}

/** The ids among these of which a step has arrived. */
export const findArrivedSteps = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<{ id: string }[]> => {
  const { rows } = await sql<{ id: string }>`
    SELECT s.id FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[]) AND s.ingested`.execute(db)
  return rows
}

/** The steps of threads, the oldest first within each: by start time, else by arrival. */
export const findStepsOfThreads = async (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
  types?: readonly string[] | null | undefined,
  parts: StepParts = 'all',
): Promise<StepRow[]> => {
  const { rows } = await sql<StepRow>`
    SELECT ${columnsOf(parts)} FROM steps s
    WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${threadIds}::text[]) AND s.ingested
      ${types == null ? sql`` : sql`AND s.type = ANY(${types}::text[])`}
    ORDER BY coalesce(s.start_time, s.created_at), s.created_at, s.id`.execute(db)
  return rows
}

/** Every step below a step, children of children too, the oldest first. A cycle of parents ends where it closes. */
export const findDescendants = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<StepRow[]> => {
  const found = new Map<string, StepRow>()
  for (let parents = [id]; parents.length > 0; ) {
    const { rows } = await sql<StepRow>`
      SELECT ${columns} FROM steps s
      WHERE s.project_id = ${projectId} AND s.parent_id = ANY(${parents}::text[]) AND s.ingested`.execute(
      db,
    )
    const fresh = rows.filter((row) => row.id !== id && !found.has(row.id))
    for (const row of fresh) found.set(row.id, row)
    parents = fresh.map((row) => row.id)
  }
  const moment = (step: StepRow) => step.startTime ?? step.createdAt
  return [...found.values()].sort((a, b) =>
    moment(a) < moment(b) ? -1 : moment(a) > moment(b) ? 1 : a.createdAt < b.createdAt ? -1 : 1,
  )
}

/** Sets the columns that are given. Gives the step's thread, or undefined when there is no such step. */
export const updateStep = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Record<string, unknown>,
): Promise<{ threadId: string | null } | undefined> => {
  const set = assignments({ ...changes, ingested: true }) ?? sql`ingested = true`
  const { rows } = await sql<{ threadId: string | null }>`
    UPDATE steps SET ${set} WHERE project_id = ${projectId} AND id = ${id} RETURNING thread_id AS "threadId"`.execute(
    db,
  )
  return rows[0]
}

/** Makes sure that a row stands for a step that others name before it arrives. Lists leave it out until then. */
export const ensureStep = async (
  db: Database,
  projectId: string,
  id: string,
  createdAt: Instant,
): Promise<{ threadId: string | null }> => {
  await sql`
    INSERT INTO steps (project_id, id, type, created_at, ingested, has_generation)
    VALUES (${projectId}, ${id}, 'undefined', ${createdAt}::timestamptz, false, false)
    ON CONFLICT (project_id, id) DO NOTHING`.execute(db)
  const { rows } = await sql<{ threadId: string | null }>`
    SELECT thread_id AS "threadId" FROM steps WHERE project_id = ${projectId} AND id = ${id}`.execute(
    db,
  )
  return rows[0] ?? { threadId: null }
}

/** Deletes a step with what hangs on it. Gives its thread, or undefined when there was no such step. Needs a transaction. */
export const deleteStep = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<{ threadId: string | null } | undefined> => {
  await inSequence(db)
  const { rows } = await sql<{ threadId: string | null }>`
    DELETE FROM steps WHERE project_id = ${projectId} AND id = ${id} RETURNING thread_id AS "threadId"`.execute(
    db,
  )
  if (rows[0] === undefined) return undefined
  await sql`DELETE FROM scores WHERE project_id = ${projectId} AND step_id = ${id}`.execute(db)
  await checkFilesOf(db, projectId, sql`step_id = ${id}`)
  await sql`DELETE FROM attachments WHERE project_id = ${projectId} AND step_id = ${id}`.execute(db)
  return rows[0]
}
