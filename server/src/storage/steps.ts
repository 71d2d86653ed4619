import { type RawBuilder, sql } from 'kysely'
import type { Instant } from '../domain/instant.js'
import type { Database } from './database.js'
import { checkFilesOf } from './files.js'
import { type Field, instant, json, members, number, some, string, tags } from './listing/fields.js'
import type { Listing } from './listing/page.js'
import { assignments } from './parameters.js'

export interface GenerationRow {
  id: string
  projectId: string
  stepId: string
  type: 'CHAT' | 'COMPLETION'
  prompt: string | null
  completion: string | null
  messages: unknown
  messageCompletion: unknown
  provider: string | null
  model: string | null
  variables: unknown
  tools: unknown
  settings: unknown
  promptId: string | null
  tokenCount: number | null
  inputTokenCount: number | null
  outputTokenCount: number | null
  ttFirstToken: number | null
  duration: number | null
  tokenThroughputInSeconds: number | null
  error: string | null
  tags: string[] | null
  metadata: unknown
  createdAt: Instant
}

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
const genType = sql`coalesce(s.gen_type, CASE
  WHEN s.gen_messages IS NULL AND s.gen_message_completion IS NULL
    AND (s.gen_prompt IS NOT NULL OR s.gen_completion IS NOT NULL)
  THEN 'COMPLETION' ELSE 'CHAT' END)`

const columns = sql`
  s.id, s.thread_id AS "threadId", s.root_run_id AS "rootRunId", s.parent_id AS "parentId", s.type, s.name,
  s.start_time AS "startTime", s.end_time AS "endTime", s.created_at AS "createdAt",
  s.input, s.output, s.metadata, s.error, to_json(s.tags) AS tags, s.environment,
  s.session_id AS "sessionId", s.sequence,
  s.has_generation AS "hasGeneration", ${genType} AS "genType",
  s.gen_prompt AS "genPrompt", s.gen_completion AS "genCompletion", s.gen_messages AS "genMessages",
  s.gen_message_completion AS "genMessageCompletion", s.gen_provider AS "genProvider", s.gen_model AS "genModel",
  s.gen_variables AS "genVariables", s.gen_tools AS "genTools", s.gen_settings AS "genSettings",
  s.gen_prompt_id AS "genPromptId", s.gen_tokens AS "genTokens",
  s.gen_input_token_count AS "genInputTokenCount", s.gen_output_token_count AS "genOutputTokenCount",
  s.gen_tt_first_token AS "genTtFirstToken", s.gen_duration AS "genDuration",
  s.gen_token_throughput AS "genTokenThroughput", s.gen_error AS "genError", to_json(s.gen_tags) AS "genTags",
  s.gen_metadata AS "genMetadata"`

/** The generation that a step carries; null when it carries none. */
export const generationOf = (projectId: string, step: StepRow): GenerationRow | null =>
  step.hasGeneration
    ? {
        id: step.id,
        projectId,
        stepId: step.id,
        type: step.genType,
        prompt: step.genPrompt,
        completion: step.genCompletion,
        messages: step.genMessages,
        messageCompletion: step.genMessageCompletion,
        provider: step.genProvider,
        model: step.genModel,
        variables: step.genVariables,
        tools: step.genTools,
        settings: step.genSettings,
        promptId: step.genPromptId,
        tokenCount: step.genTokens,
        inputTokenCount: step.genInputTokenCount,
        outputTokenCount: step.genOutputTokenCount,
        ttFirstToken: step.genTtFirstToken,
        duration: step.genDuration,
        tokenThroughputInSeconds: step.genTokenThroughput,
        error: step.genError,
        tags: step.genTags,
        metadata: step.genMetadata,
        createdAt: step.createdAt,
      }
    : null

/** Ids of the project's participants with one of these identifiers (or ids); of all of them without any. */
export const participantIds = (projectId: string) => (values: string[] | undefined) =>
  values === undefined
    ? sql`SELECT p.id FROM participants p WHERE p.project_id = ${projectId}`
    : sql`SELECT p.id FROM participants p WHERE p.project_id = ${projectId}
        AND (p.identifier = ANY(${values}::text[]) OR p.id = ANY(${values}::text[]))`

const participantOf = (projectId: string) =>
  members(sql`s.participant_id`, participantIds(projectId))

const shared = {
  from: sql`steps s`,
  columns,
  id: sql`s.id`,
  projectId: sql`s.project_id`,
  createdAt: sql`s.created_at`,
}
const newest = { createdAt: { value: sql`s.created_at`, type: 'timestamptz' } } as const

export const stepListing = (projectId: string): Listing => ({
  ...shared,
  always: sql`s.ingested`,
  fields: {
    id: string(sql`s.id`, false),
    name: string(sql`s.name`),
    input: json(sql`s.input`),
    output: json(sql`s.output`),
    metadata: json(sql`s.metadata`),
    participantIdentifiers: participantOf(projectId),
    participantIdentifier: participantOf(projectId),
    startTime: instant(sql`s.start_time`),
    endTime: instant(sql`s.end_time`),
    createdAt: instant(sql`s.created_at`, false),
    parentId: string(sql`s.parent_id`),
    threadId: string(sql`s.thread_id`),
    rootRunId: string(sql`s.root_run_id`),
    error: string(sql`s.error`),
    tags: tags(sql`s.tags`),
    type: string(sql`s.type`, false),
    environment: string(sql`s.environment`),
  },
  orders: newest,
})

const promptVersions = (projectId: string, test: RawBuilder<unknown>) => sql`
  SELECT v.id FROM prompt_versions v JOIN prompt_lineages l ON l.project_id = v.project_id AND l.id = v.lineage_id
  WHERE v.project_id = ${projectId} AND ${test}`

/** A field of the prompt that a generation was made from. Generations without a prompt have none of its values. */
const ofPrompt = (
  projectId: string,
  value: RawBuilder<unknown>,
  kind: 'string' | 'number',
): Field => {
  const own = { string, number }[kind](value)
  return {
    kind,
    nullable: true,
    test: (condition) => {
      if (condition.operator === 'is' || condition.operator === 'nis') {
        const known = sql`coalesce(s.gen_prompt_id IN (${promptVersions(projectId, sql`true`)}), false)`
        return condition.operator === 'is' ? sql`NOT ${known}` : known
      }
      const negated = condition.operator === 'neq' || condition.operator === 'nilike'
      const positive = negated
        ? ({
            ...condition,
            operator: condition.operator === 'neq' ? 'eq' : 'ilike',
          } as typeof condition)
        : condition
      const inside = sql`coalesce(s.gen_prompt_id IN (${promptVersions(projectId, own.test(positive))}), false)`
      return negated ? sql`NOT ${inside}` : inside
    },
  }
}

/** Scores of the steps, those of one name when a path is given. With `is` null: there is no such score. */
const score = (projectId: string): Field => ({
  kind: 'number',
  nullable: true,
  test: (condition) => {
    const among = (test: RawBuilder<unknown>) => sql`coalesce(s.id IN (
      SELECT c.step_id FROM scores c WHERE c.project_id = ${projectId} AND c.step_id IS NOT NULL
      ${condition.path === undefined ? sql`` : sql`AND c.name = ${condition.path}`} AND ${test}), false)`
    if (condition.operator === 'is') return sql`NOT ${among(sql`true`)}`
    if (condition.operator === 'nis') return among(sql`true`)
    return among(number(sql`c.value`).test(condition))
  },
})

const generationTags = sql`(coalesce(s.gen_tags, '{}') || coalesce(s.tags, '{}'))`

export const generationListing = (projectId: string): Listing => ({
  ...shared,
  always: sql`s.has_generation AND s.ingested`,
  fields: {
    id: string(sql`s.id`, false),
    createdAt: instant(sql`s.created_at`, false),
    error: string(sql`s.gen_error`),
    model: string(sql`s.gen_model`),
    provider: string(sql`s.gen_provider`),
    promptLineage: ofPrompt(projectId, sql`l.name`, 'string'),
    promptVersion: ofPrompt(projectId, sql`v.version`, 'number'),
    duration: number(sql`s.gen_duration`),
    score: score(projectId),
    tokenCount: number(sql`s.gen_tokens`),
    tags: tags(generationTags),
    participant: participantOf(projectId),
    type: string(genType, false),
    environment: string(sql`s.environment`),
  },
  orders: {
    ...newest,
    duration: { value: sql`coalesce(s.gen_duration, '-Infinity'::float8)`, type: 'float8' },
    model: { value: sql`coalesce(s.gen_model, '')`, type: 'text' },
    provider: { value: sql`coalesce(s.gen_provider, '')`, type: 'text' },
    tokenCount: { value: sql`coalesce(s.gen_tokens::float8, '-Infinity'::float8)`, type: 'float8' },
    participant: {
      // Participants are few: a scalar subquery per row, so that the order costs nothing when it is not asked for.
      value: sql`coalesce((SELECT p.identifier FROM participants p
        WHERE p.project_id = s.project_id AND p.id = s.participant_id), '')`,
      type: 'text',
    },
  },
})

/** A field of threads that holds when one of their steps passes. */
export const ofSomeStep = (
  projectId: string,
  kind: Field['kind'],
  nullable: boolean,
  value: RawBuilder<unknown>,
) =>
  some(
    kind,
    nullable,
    sql`t.id`,
    value,
    (test) => sql`SELECT s.thread_id FROM steps s
      WHERE s.project_id = ${projectId} AND s.thread_id IS NOT NULL AND s.ingested AND ${test}`,
  )

export const findSteps = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<StepRow[]> => {
  const { rows } = await sql<StepRow>`
    SELECT ${columns} FROM steps s WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[])`.execute(
    db,
  )
  return rows
}

/** The steps of threads, the oldest first within each: by start time, else by arrival. */
export const findStepsOfThreads = async (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
  types?: readonly string[] | null | undefined,
): Promise<StepRow[]> => {
  const { rows } = await sql<StepRow>`
    SELECT ${columns} FROM steps s
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

/** Deletes a step with what hangs on it. Gives its thread, or undefined when there was no such step. */
export const deleteStep = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<{ threadId: string | null } | undefined> => {
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
