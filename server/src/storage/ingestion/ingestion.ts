import { CompiledQuery, sql } from 'kysely'
import type { Database } from '../../database/database.js'
import { JsonText } from '../../database/parameters.js'
import { portionsOf } from '../../database/portions.js'
import { encodeJson } from '../../database/text.js'
import type { Instant } from '../../kernel/instant.js'
import { checkFilesOf } from '../files.js'

/**
 * How a column takes part in the merge of a step's fragments. `keep`: a given value replaces the stored one, an absent
 * one keeps it. The others are exceptions that the merge rules make.
 */
type Merge = 'keep' | 'type' | 'tags' | 'first' | 'sticky' | 'thread'

interface Column {
  column: string
  type: 'text' | 'json' | 'timestamptz' | 'text[]' | 'boolean' | 'bigint' | 'integer' | 'float8'
  merge: Merge
  /** The value of a new row that was given none. */
  initial?: string
}

const text = (column: string): Column => ({ column, type: 'text', merge: 'keep' })
const value = (column: string): Column => ({ column, type: 'json', merge: 'keep' })
const count = (column: string): Column => ({ column, type: 'bigint', merge: 'keep' })
const float = (column: string): Column => ({ column, type: 'float8', merge: 'keep' })
const moment = (column: string): Column => ({ column, type: 'timestamptz', merge: 'keep' })

/** The columns that ingestion writes, besides the key, created_at and ingested. The order is that of a row's values. */
const STEP_COLUMNS = {
  threadId: text('thread_id'),
  rootRunId: text('root_run_id'),
  parentId: text('parent_id'),
  participantId: { column: 'participant_id', type: 'text', merge: 'thread' },
  type: { column: 'type', type: 'text', merge: 'type', initial: `'undefined'` },
  name: text('name'),
  startTime: moment('start_time'),
  endTime: moment('end_time'),
  input: value('input'),
  output: value('output'),
  metadata: value('metadata'),
  error: text('error'),
  tags: { column: 'tags', type: 'text[]', merge: 'tags' },
  sessionId: text('session_id'),
  sequence: { column: 'sequence', type: 'integer', merge: 'keep' },
  environment: { column: 'environment', type: 'text', merge: 'first' },
  hasGeneration: { column: 'has_generation', type: 'boolean', merge: 'sticky', initial: 'false' },
  genType: text('gen_type'),
  genPrompt: text('gen_prompt'),
  genCompletion: text('gen_completion'),
  genMessages: value('gen_messages'),
  genMessageCompletion: value('gen_message_completion'),
  genProvider: text('gen_provider'),
  genModel: text('gen_model'),
  genVariables: value('gen_variables'),
  genTools: value('gen_tools'),
  genSettings: value('gen_settings'),
  genPromptId: text('gen_prompt_id'),
  genTokenCount: count('gen_token_count'),
  genInputTokenCount: count('gen_input_token_count'),
  genOutputTokenCount: count('gen_output_token_count'),
  genTtFirstToken: float('gen_tt_first_token'),
  genDuration: float('gen_duration'),
  genTokenThroughput: float('gen_token_throughput'),
  genError: text('gen_error'),
  genTags: { column: 'gen_tags', type: 'text[]', merge: 'tags' },
  genMetadata: value('gen_metadata'),
} as const satisfies Record<string, Column>

const statement = (text: string, records: string) =>
  CompiledQuery.raw(text, [new JsonText(records)])

export type StepColumn = keyof typeof STEP_COLUMNS
const entries = Object.entries(STEP_COLUMNS) as [StepColumn, Column][]

/** A step to write: JSON text for each column that is given. Texts, as payloads are encoded once and not again. */
export interface StepWrite {
  projectId: string
  id: string
  createdAt: Instant
  values: Partial<Record<StepColumn, string>>
}

/** The row was written from a part that the same client recorded later: this one only fills what that left open. */
const IS_OLDER = 'steps.session_id = excluded.session_id AND steps.sequence > excluded.sequence'

const mergedInOrder = (given: Column): string =>
  given.merge === 'sticky' || given.merge === 'first'
    ? merged(given)
    : `CASE WHEN ${IS_OLDER} THEN ${filled(given)} ELSE ${merged(given)} END`

/** What is stored, and where that is nothing, what is given. */
const filled = ({ column, type, merge }: Column): string => {
  switch (merge) {
    case 'type':
      return `CASE WHEN steps.${column} = 'undefined' THEN excluded.${column} ELSE steps.${column} END`
    case 'tags':
      return `coalesce(nullif(steps.${column}, '{}'::${type}), excluded.${column}, steps.${column})`
    default:
      return `coalesce(steps.${column}, excluded.${column})`
  }
}

const merged = ({ column, type, merge }: Column): string => {
  switch (merge) {
    case 'keep':
      return `coalesce(excluded.${column}, steps.${column})`
    case 'first':
      return `coalesce(steps.${column}, excluded.${column})`
    case 'type':
      return `CASE WHEN excluded.${column} = 'undefined' THEN steps.${column} ELSE excluded.${column} END`
    case 'tags':
      return `coalesce(nullif(excluded.${column}, '{}'::${type}), steps.${column}, excluded.${column})`
    case 'thread':
      // It is the thread's, null included, and so changes with the thread alone.
      return `CASE WHEN excluded.thread_id IS NULL THEN steps.${column} ELSE excluded.${column} END`
    case 'sticky':
      return `excluded.${column} OR steps.${column}`
  }
}

/** `text[]` comes as a JSON list, as that is what a record of JSON can hold. */
const selected = ({ column, type, initial }: Column): string => {
  const own =
    type === 'text[]'
      ? `CASE WHEN r.${column} IS NULL THEN NULL ELSE ARRAY(SELECT json_array_elements_text(r.${column})) END`
      : `r.${column}`
  return initial === undefined ? own : `coalesce(${own}, ${initial})`
}

/**
 * One statement for any number of steps of any projects. It never fails because of what a step holds, as everything in
 * it was checked before. No step may be in it twice. It names only the columns that some step of the batch gives, a
 * third of them as a rule: what is not named costs nothing.
 */
const upsertStatement = (used: ReadonlySet<StepColumn>): string => {
  const given = entries.filter(([key]) => used.has(key)).map(([, column]) => column)
  const fixed = entries.flatMap(([key, { column, initial }]) =>
    used.has(key) || initial === undefined ? [] : [{ column, initial }],
  )
  const names = [...given, ...fixed].map(({ column }) => column)
  const values = [...given.map(selected), ...fixed.map(({ initial }) => initial)]
  const record = given.map(({ column, type }) => `${column} ${type === 'text[]' ? 'json' : type}`)
  const merge = used.has('sequence') ? mergedInOrder : merged
  const merges = given.map((column) => `${column.column} = ${merge(column)}`)
  return `
INSERT INTO steps (${['project_id', 'id', 'created_at', 'ingested', ...names].join(', ')})
SELECT ${['r.project_id', 'r.id', 'r.created_at', 'true', ...values].join(', ')}
FROM json_to_recordset($1::json) AS r (
  ${['project_id text', 'id text', 'created_at timestamptz', ...record].join(', ')})
ON CONFLICT (project_id, id) DO UPDATE SET
  ${['ingested = true', LEFT_THREAD, ...merges].join(', ')}
RETURNING project_id AS "projectId", thread_id AS "threadId", left_thread_id AS "leftThreadId"
  ${used.has('sequence') ? ', id, session_id AS "sessionId", sequence' : ''}`
}

const LEFT_THREAD =
  'left_thread_id = CASE WHEN excluded.thread_id <> steps.thread_id THEN steps.thread_id END'

/** The statements of the sets of columns that batches had so far; an application has a few of them. */
const statements = new Map<string, string>()
const MAX_STATEMENTS = 500

const statementFor = (steps: readonly StepWrite[]): string => {
  const used = new Set<StepColumn>()
  for (const { values } of steps) for (const column in values) used.add(column as StepColumn)
  // The participant is the thread's, and so is written with it even where there is none.
  if (used.has('threadId')) used.add('participantId')
  const key = entries.map(([column]) => (used.has(column) ? '1' : '0')).join('')
  const known = statements.get(key)
  if (known !== undefined) return known
  if (statements.size >= MAX_STATEMENTS) statements.clear()
  const made = upsertStatement(used)
  statements.set(key, made)
  return made
}

export interface WrittenStep {
  projectId: string
  /** The thread that it now belongs to. */
  threadId: string | null
  /** The thread that it belonged to before, when it is another one. */
  leftThreadId: string | null
  /** Where it stands now, if some step of the batch has a place in a session. */
  id?: string
  sessionId?: string | null
  sequence?: number | null
}

/** Has a transaction fail where it would wait longer than this for what another one holds. */
export const limitLockWait = (db: Database, ms: number): Promise<unknown> =>
  sql`SET LOCAL lock_timeout = ${sql.lit(ms)}`.execute(db)

/** Writes steps. Gives the threads that this changes, in no order. */
export const upsertSteps = async (
  db: Database,
  steps: readonly StepWrite[],
): Promise<WrittenStep[]> => {
  const records = steps.map(({ projectId, id, createdAt, values }) => {
    const parts = [
      `"project_id":${JSON.stringify(projectId)},"id":${encodeJson(id)},"created_at":"${createdAt}"`,
    ]
    for (const key in values)
      parts.push(`"${STEP_COLUMNS[key as StepColumn].column}":${values[key as StepColumn]}`)
    return `{${parts.join(',')}}`
  })
  const { rows } = await db.executeQuery<WrittenStep>(
    statement(statementFor(steps), `[${records.join(',')}]`),
  )
  return rows
}

export interface StepRef {
  projectId: string
  id: string
}

const column = <Row, Key extends keyof Row>(rows: readonly Row[], key: Key): Row[Key][] =>
  rows.map((row) => row[key])

/** The threads that some steps belong to so far. */
export const findThreadsOfSteps = async (
  db: Database,
  steps: readonly StepRef[],
): Promise<{ projectId: string; threadId: string }[]> => {
  if (steps.length === 0) return []
  const { rows } = await sql<{ projectId: string; threadId: string }>`
    SELECT DISTINCT s.project_id AS "projectId", s.thread_id AS "threadId"
    FROM unnest(${column(steps, 'projectId')}::text[], ${column(steps, 'id')}::text[]) AS r (project_id, id)
    JOIN steps s ON s.project_id = r.project_id AND s.id = r.id
    WHERE s.thread_id IS NOT NULL`.execute(db)
  return rows
}

/** Sets columns of steps to null, of each its own: what a client clears by an explicit null. */
export const clearSteps = async (
  db: Database,
  steps: readonly (StepRef & { columns: readonly StepColumn[] })[],
): Promise<void> => {
  if (steps.length === 0) return
  const cleared = [...new Set(steps.flatMap(({ columns }) => columns))]
  const flags = steps.map(({ columns }) =>
    cleared.reduce((sum, key, bit) => sum + (columns.includes(key) ? 2 ** bit : 0), 0),
  )
  const set = sql.join(
    cleared.map((key, bit) => {
      const name = sql.ref(STEP_COLUMNS[key].column)
      return sql`${name} = CASE WHEN r.cleared & ${sql.lit(2 ** bit)} = 0 THEN s.${name} END`
    }),
  )
  await sql`
    UPDATE steps s SET ${set}
    FROM unnest(${column(steps, 'projectId')}::text[], ${column(steps, 'id')}::text[], ${flags}::int[])
      AS r (project_id, id, cleared)
    WHERE s.project_id = r.project_id AND s.id = r.id`.execute(db)
  // Attachments are in the thread of their step.
  const left = steps.filter(({ columns }) => columns.includes('threadId'))
  if (left.length > 0)
    await sql`
      UPDATE attachments a SET thread_id = NULL
      FROM unnest(${column(left, 'projectId')}::text[], ${column(left, 'id')}::text[]) AS r (project_id, id)
      WHERE a.project_id = r.project_id AND a.step_id = r.id AND a.thread_id IS NOT NULL`.execute(
      db,
    )
}

/** Rows of a statement. Larger ones would hold the embedded database, and the encoding the event loop. */
const PORTION = { mostRows: 2000, mostCharacters: 2_000_000 }

export interface ScoreWrite {
  projectId: string
  id: string
  stepId: string | null
  generationId: string | null
  datasetExperimentItemId: string | null
  name: string
  type: string
  value: number
  label: string | null
  comment: string | null
  scorer: string | null
  tags: readonly string[] | null
  at: Instant
}

const UPSERT_SCORES = `
INSERT INTO scores (project_id, id, step_id, generation_id, dataset_experiment_item_id, name, type, value, label,
  comment, scorer, tags, created_at, updated_at)
SELECT r."projectId", r.id, r."stepId", r."generationId", r."datasetExperimentItemId", r.name, r.type, r.value, r.label,
  r.comment, r.scorer, CASE WHEN r.tags IS NULL THEN NULL ELSE ARRAY(SELECT json_array_elements_text(r.tags)) END,
  r.at, r.at
FROM json_to_recordset($1::json) AS r ("projectId" text, id text, "stepId" text, "generationId" text,
  "datasetExperimentItemId" text, name text, type text, value float8, label text, comment text, scorer text, tags json,
  at timestamptz)
ON CONFLICT (project_id, id) DO UPDATE SET
  step_id = coalesce(excluded.step_id, scores.step_id),
  generation_id = coalesce(excluded.generation_id, scores.generation_id),
  dataset_experiment_item_id = coalesce(excluded.dataset_experiment_item_id, scores.dataset_experiment_item_id),
  name = excluded.name, type = excluded.type, value = excluded.value,
  label = coalesce(excluded.label, scores.label),
  comment = coalesce(excluded.comment, scores.comment),
  scorer = coalesce(excluded.scorer, scores.scorer),
  tags = coalesce(nullif(excluded.tags, '{}'::text[]), scores.tags, excluded.tags),
  updated_at = excluded.updated_at`

/** Whether what is written replaces what is stored, or only adds to it, as it is older. */
export type WriteMode = 'replace' | 'add'

/** The same statement for rows that are older than those that are stored. */
const adding = (upsert: string) =>
  upsert.replace(/ON CONFLICT[\s\S]*$/, 'ON CONFLICT (project_id, id) DO NOTHING')

/** Writes scores; none may be in the list twice. */
export const upsertScores = async (
  db: Database,
  scores: readonly ScoreWrite[],
  mode: WriteMode = 'replace',
): Promise<void> => {
  const text = mode === 'replace' ? UPSERT_SCORES : adding(UPSERT_SCORES)
  for (const portion of portionsOf(scores, PORTION))
    await db.executeQuery(statement(text, encodeJson(portion)))
}

export interface AttachmentWrite {
  projectId: string
  id: string
  stepId: string
  threadId: string | null
  name: string | null
  mime: string | null
  metadata: unknown
  objectKey: string | null
  url: string | null
  at: Instant
}

const UPSERT_ATTACHMENTS = `
INSERT INTO attachments (project_id, id, step_id, thread_id, name, mime, metadata, object_key, url, created_at)
SELECT r."projectId", r.id, r."stepId", r."threadId", r.name, r.mime, r.metadata, r."objectKey", r.url, r.at
FROM json_to_recordset($1::json) AS r ("projectId" text, id text, "stepId" text, "threadId" text, name text, mime text,
  metadata json, "objectKey" text, url text, at timestamptz)
ON CONFLICT (project_id, id) DO UPDATE SET
  step_id = excluded.step_id,
  thread_id = coalesce(excluded.thread_id, attachments.thread_id),
  name = coalesce(excluded.name, attachments.name),
  mime = coalesce(excluded.mime, attachments.mime),
  metadata = coalesce(excluded.metadata, attachments.metadata),
  object_key = coalesce(excluded.object_key, attachments.object_key),
  url = coalesce(excluded.url, attachments.url)`

/** Has the files looked at that attachments had so far: each upload has a key of its own, so another one leaves the first behind. */
const checkReplaced = async (
  db: Database,
  attachments: readonly AttachmentWrite[],
): Promise<void> => {
  const ids = new Map<string, string[]>()
  for (const { projectId, id, objectKey } of attachments) {
    if (objectKey === null) continue
    const named = ids.get(projectId)
    if (named === undefined) ids.set(projectId, [id])
    else named.push(id)
  }
  for (const [projectId, named] of ids)
    await checkFilesOf(db, projectId, sql`id = ANY(${named}::text[])`)
}

/** Writes attachments; none may be in the list twice. */
export const upsertAttachments = async (
  db: Database,
  attachments: readonly AttachmentWrite[],
  mode: WriteMode = 'replace',
): Promise<void> => {
  if (mode === 'replace') await checkReplaced(db, attachments)
  const text = mode === 'replace' ? UPSERT_ATTACHMENTS : adding(UPSERT_ATTACHMENTS)
  for (const portion of portionsOf(attachments, PORTION))
    await db.executeQuery(statement(text, encodeJson(portion)))
}
