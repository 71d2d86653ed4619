import type { Database } from '../../database/database.js'
import { EscapedText } from '../../database/parameters.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { j, s } from '../../database/rows/tables.js'
import { encodeJson } from '../../database/text.js'
import { newWaitingRevision, STEP_COLUMNS, type StepColumn } from './columns.js'

/** A log record of the span that became a step. */
export interface SpanLog {
  stepId: string
  /** Follows from its content, so that a record that comes twice is stored once. */
  id: string
  /** Its place in the request that brought it: the order of records of the same time. */
  place: number
  record: Record<string, unknown>
}

/** A log record with its size as JSON. */
export interface SizedSpanLog extends SpanLog {
  bytes: number
}

export const insertSpanLogs = async (
  db: Database,
  projectId: string,
  logs: readonly SizedSpanLog[],
): Promise<void> => {
  await sql`
    INSERT INTO span_logs (project_id, step_id, id, place, record, bytes)
    SELECT ${projectId}, r."stepId", r.id, r.place, r.record, r.bytes
    FROM json_to_recordset(${new EscapedText(encodeJson(logs))}::json)
      AS r ("stepId" text, id text, place integer, record json, bytes integer)
    ON CONFLICT (project_id, step_id, id) DO NOTHING`.execute(db)
}

/** Returns those of some steps that have log records, how many, and their size. */
export const countSpanLogs = async (
  db: Database,
  projectId: string,
  stepIds: readonly string[],
): Promise<{ stepId: string; count: number; bytes: number }[]> => {
  const size = cast('float8', sql`sum(${j.bytes})::float8`)
  const { rows } = await sql`
    SELECT ${select({ stepId: j.stepId, count: cast('integer', sql`count(*)`), bytes: size })} FROM span_logs j
    WHERE j.project_id = ${projectId} AND j.step_id = ANY(${stepIds}::text[])
    GROUP BY j.step_id`.execute(db)
  return rows
}

/** Returns the ids of the log records that are stored already. */
export const findKnownSpanLogs = async (
  db: Database,
  projectId: string,
  logs: readonly SpanLog[],
): Promise<{ stepId: string; id: string }[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(j, 'stepId', 'id'))} FROM span_logs j
    WHERE j.project_id = ${projectId} AND j.step_id = ANY(${[...new Set(logs.map(({ stepId }) => stepId))]}::text[])
      AND j.id = ANY(${logs.map(({ id }) => id)}::text[])`.execute(db)
  return rows
}

export const findSpanLogs = async (
  db: Database,
  projectId: string,
  stepIds: readonly string[],
): Promise<SpanLog[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(j, 'stepId', 'id', 'place', 'record'))} FROM span_logs j
    WHERE j.project_id = ${projectId} AND j.step_id = ANY(${stepIds}::text[])`.execute(db)
  return rows as SpanLog[]
}

/** Returns the size of the metadata of some steps. */
export const sizesOfMetadata = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<{ id: string; bytes: number }[]> => {
  const bytes = cast('integer', sql`coalesce(octet_length(${s.metadata}::text), 0)`)
  const { rows } = await sql`
    SELECT ${select({ id: s.id, bytes })} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[])`.execute(db)
  return rows
}

const locked = select(pick(s, 'id', 'threadId', 'metadata'))
export type LockedStep = RowOf<typeof locked>

/**
 * Locks steps until the transaction ends, and returns them with their metadata. The lock is a statement that changes
 * nothing: rows that are on many workers cannot be locked by `FOR UPDATE`.
 */
export const lockSteps = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<LockedStep[]> => {
  const { rows } = await sql`
    UPDATE steps s SET environment = s.environment
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[])
    RETURNING ${locked}`.execute(db)
  return rows
}

/** Columns in which a value from log records replaces the stored one, and those in which it only fills in. */
const REPLACED: readonly StepColumn[] = [
  'metadata',
  'genMessages',
  'genMessageCompletion',
  'genMessagesExcerpt',
  'genMessageCompletionExcerpt',
  'genUsage',
  'genTokenCount',
  'genInputTokenCount',
  'genOutputTokenCount',
]
const FILLED: readonly StepColumn[] = [
  'genType',
  'genProvider',
  'genModel',
  'genVariables',
  'genTools',
  'genSettings',
  'genTtFirstToken',
]

const given = [...REPLACED, ...FILLED].map((key) => STEP_COLUMNS[key])
const AMEND = sql.raw(`UPDATE steps s SET
  type = CASE WHEN s.type = 'undefined' THEN coalesce(r.type, s.type) ELSE s.type END,
  has_generation = s.has_generation OR coalesce(r.has_generation, false),
  ${REPLACED.map((key) => STEP_COLUMNS[key].column)
    .map((column) => `${column} = coalesce(r.${column}, s.${column})`)
    .join(', ')},
  ${FILLED.map((key) => STEP_COLUMNS[key].column)
    .map((column) => `${column} = coalesce(s.${column}, r.${column})`)
    .join(', ')},
  gen_cost_revision = `)
const FROM = sql.raw(`::integer FROM json_to_recordset(`)
const RECORD = sql.raw(`::json) AS r (id text, type text, has_generation boolean,
  ${given.map(({ column, type }) => `${column} ${type}`).join(', ')})`)

/** JSON text for each column that log records say something about. */
export interface StepAmendment {
  id: string
  values: Partial<Record<StepColumn, string>>
}

/** Adds to steps what their log records say. */
export const amendSteps = async (
  db: Database,
  projectId: string,
  amendments: readonly StepAmendment[],
): Promise<void> => {
  const records = amendments.map(({ id, values }) => {
    const parts = [`"id":${encodeJson(id)}`]
    for (const key in values)
      parts.push(`"${STEP_COLUMNS[key as StepColumn].column}":${values[key as StepColumn]}`)
    return `{${parts.join(',')}}`
  })
  await sql`${AMEND}${newWaitingRevision()}${FROM}${new EscapedText(`[${records.join(',')}]`)}${RECORD}
    WHERE s.project_id = ${projectId} AND s.id = r.id`.execute(db)
}
