import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/database.js'
import type { Instant } from '../kernel/instant.js'

/** A kind of rows that can be counted over time. */
export interface Subject {
  table: RawBuilder<unknown>
  createdAt: RawBuilder<unknown>
  projectId: RawBuilder<unknown>
  /** Holds for all rows of the kind. */
  always: RawBuilder<unknown>
  hasFailed: RawBuilder<unknown>
  /** Seconds. */
  duration: RawBuilder<unknown>
  inputTokens: RawBuilder<unknown>
  outputTokens: RawBuilder<unknown>
  tokens: RawBuilder<unknown>
  environment: RawBuilder<unknown>
  participantId: RawBuilder<unknown>
  dimensions: Record<string, RawBuilder<unknown>>
}

const none = sql`NULL::float8`
const release = (metadata: RawBuilder<unknown>) =>
  sql`(CASE WHEN json_typeof(${metadata}) = 'object' THEN left(${metadata} ->> 'release', 200) END)`
const stepDuration = sql`extract(epoch FROM s.end_time - s.start_time)::float8`
const steps = {
  table: sql`steps s`,
  createdAt: sql`s.created_at`,
  projectId: sql`s.project_id`,
  hasFailed: sql`(s.error IS NOT NULL OR s.gen_error IS NOT NULL)`,
  inputTokens: sql`s.gen_input_token_count::float8`,
  outputTokens: sql`s.gen_output_token_count::float8`,
  tokens: sql`s.gen_tokens::float8`,
  environment: sql`s.environment`,
  participantId: sql`s.participant_id`,
}
const ofStep = { environment: sql`s.environment`, release: release(sql`s.metadata`) }

export const SUBJECTS: Record<'threads' | 'runs' | 'steps' | 'generations', Subject> = {
  threads: {
    table: sql`threads t`,
    createdAt: sql`t.created_at`,
    projectId: sql`t.project_id`,
    always: sql`true`,
    hasFailed: sql`t.error_count > 0`,
    duration: sql`t.duration`,
    inputTokens: none,
    outputTokens: none,
    tokens: sql`t.token_count::float8`,
    environment: sql`t.environment`,
    participantId: sql`t.participant_id`,
    dimensions: { environment: sql`t.environment`, release: release(sql`t.metadata`) },
  },
  runs: {
    ...steps,
    always: sql`s.type = 'run' AND s.ingested`,
    duration: stepDuration,
    dimensions: { ...ofStep, name: sql`left(s.name, 200)` },
  },
  steps: {
    ...steps,
    always: sql`s.ingested`,
    duration: stepDuration,
    dimensions: { ...ofStep, name: sql`left(s.name, 200)`, type: sql`s.type` },
  },
  generations: {
    ...steps,
    always: sql`s.has_generation AND s.ingested`,
    duration: sql`coalesce(s.gen_duration, ${stepDuration})`,
    dimensions: {
      ...ofStep,
      model: sql`left(s.gen_model, 200)`,
      promptVersion: sql`s.gen_prompt_id`,
    },
  },
}

export interface Range {
  from: Instant
  to: Instant
  bucketSeconds: number
  environment: string | null
  participantId: string | null
}

export interface MeasurementRow {
  /** Null for those without a value, and for the rest. */
  key: string | null
  isRest: boolean
  /** The number of the bucket; null for all of the range. */
  bucket: number | null
  count: number
  errorCount: number
  percentiles: (number | null)[] | null
  inputTokens: number | null
  outputTokens: number | null
  tokens: number | null
}

const within = (
  subject: Subject,
  projectId: string,
  { from, to, environment, participantId }: Range,
) => sql`
  ${subject.projectId} = ${projectId} AND ${subject.createdAt} >= ${from}::timestamptz
  AND ${subject.createdAt} < ${to}::timestamptz AND ${subject.always}
  ${environment === null ? sql`` : sql`AND ${subject.environment} = ${environment}`}
  ${participantId === null ? sql`` : sql`AND ${subject.participantId} = ${participantId}`}`

/** Whether more rows are in a range than may be looked at. */
export const isMoreThan = async (
  db: Database,
  projectId: string,
  subject: Subject,
  range: Range,
  most: number,
): Promise<boolean> => {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM (
      SELECT 1 FROM ${subject.table} WHERE ${within(subject, projectId, range)} LIMIT ${sql.lit(most + 1)}) AS counted`.execute(
    db,
  )
  return (rows[0]?.count ?? 0) > most
}

/** The most frequent values of a dimension, null among them. */
export const findLargest = async (
  db: Database,
  projectId: string,
  subject: Subject,
  range: Range,
  dimension: RawBuilder<unknown>,
  most: number,
): Promise<(string | null)[]> => {
  const { rows } = await sql<{ key: string | null }>`
    SELECT ${dimension} AS key FROM ${subject.table} WHERE ${within(subject, projectId, range)}
    GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ${sql.lit(most)}`.execute(db)
  return rows.map(({ key }) => key)
}

/** Measures a range: each series in all, and in each bucket in which it has something. */
export const measure = async (
  db: Database,
  projectId: string,
  subject: Subject,
  range: Range,
  split: { dimension: RawBuilder<unknown>; largest: readonly (string | null)[] } | undefined,
): Promise<MeasurementRow[]> => {
  const known = split?.largest.filter((key) => key !== null) ?? []
  const isShown =
    split === undefined
      ? sql`true`
      : sql`coalesce(${split.dimension} = ANY(${known}::text[]), ${split.largest.includes(null)}::boolean)`
  const key = split === undefined ? sql`NULL::text` : sql`${split.dimension}`
  const measured = sql`
    count(*)::integer AS count, count(*) FILTER (WHERE failed)::integer AS "errorCount",
    to_json(percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY seconds)) AS percentiles,
    sum(input)::float8 AS "inputTokens", sum(output)::float8 AS "outputTokens", sum(tokens)::float8 AS tokens`
  const source = sql`(
      SELECT CASE WHEN ${isShown} THEN ${key} END AS key, NOT ${isShown} AS "isRest",
        floor(extract(epoch FROM ${subject.createdAt} - ${range.from}::timestamptz) / ${range.bucketSeconds}::float8)::integer AS bucket,
        ${subject.hasFailed} AS failed, ${subject.duration} AS seconds, ${subject.inputTokens} AS input,
        ${subject.outputTokens} AS output, ${subject.tokens} AS tokens
      FROM ${subject.table} WHERE ${within(subject, projectId, range)}) AS r`
  // Two statements, as a distributed database has no GROUPING SETS; of one moment, so that the parts make the whole.
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      const totals = await sql<MeasurementRow>`
        SELECT key, "isRest", NULL::integer AS bucket, ${measured} FROM ${source}
        GROUP BY key, "isRest"`.execute(snapshot)
      const buckets = await sql<MeasurementRow>`
        SELECT key, "isRest", bucket, ${measured} FROM ${source}
        GROUP BY key, "isRest", bucket ORDER BY bucket`.execute(snapshot)
      return [...totals.rows, ...buckets.rows]
    })
}

export interface MeasuredScore {
  stepId: string | null
  name: string
  value: number
  createdAt: Instant
}

/** The scores of a range, at most so many, in no order. */
export const findMeasuredScores = async (
  db: Database,
  projectId: string,
  { from, to }: Range,
  name: string | null,
  most: number,
): Promise<MeasuredScore[]> => {
  const { rows } = await sql<MeasuredScore>`
    SELECT c.step_id AS "stepId", c.name, c.value, c.created_at AS "createdAt" FROM scores c
    WHERE c.project_id = ${projectId} AND c.created_at >= ${from}::timestamptz AND c.created_at < ${to}::timestamptz
      ${name === null ? sql`` : sql`AND left(c.name, 200) = left(${name}::text, 200) AND c.name = ${name}`}
    LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}

export interface Dimensions {
  id: string
  environment: string | null
  participantId: string | null
  key: string | null
}

/** What is said of some steps: the environment, the user, and a value of a dimension. */
export const findDimensions = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  dimension: string,
): Promise<Dimensions[]> => {
  const value = { ...SUBJECTS.generations.dimensions }[dimension] ?? sql`NULL::text`
  const { rows } = await sql<Dimensions>`
    SELECT s.id, s.environment, s.participant_id AS "participantId", ${value} AS key FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[])`.execute(db)
  return rows
}

export type FacetField = 'name' | 'model' | 'provider' | 'tags' | 'user' | 'score'

const newest = (
  projectId: string,
  alias: RawBuilder<unknown>,
  table: RawBuilder<unknown>,
  value: RawBuilder<unknown>,
  always: RawBuilder<unknown>,
  most: number,
) => sql`
  SELECT ${value} AS v FROM ${table} ${alias}
  WHERE ${alias}.project_id = ${projectId} AND ${always}
  ORDER BY ${alias}.created_at DESC, ${alias}.id DESC LIMIT ${sql.lit(most)}`

/** The most frequent values among the newest rows. */
export const findFacets = async (
  db: Database,
  projectId: string,
  field: FacetField,
  { prefix, first, most }: { prefix: string; first: number; most: number },
): Promise<{ value: string; count: number }[]> => {
  const s = sql`s`
  const stepsOf = (value: RawBuilder<unknown>, always: RawBuilder<unknown>) =>
    newest(projectId, s, sql`steps`, value, always, most)
  const each = (lists: RawBuilder<unknown>) => sql`SELECT unnest(v) AS v FROM (${lists}) AS lists`
  const sources = {
    name: () => [stepsOf(sql`s.name`, sql`s.ingested`)],
    model: () => [stepsOf(sql`s.gen_model`, sql`s.has_generation AND s.ingested`)],
    provider: () => [stepsOf(sql`s.gen_provider`, sql`s.has_generation AND s.ingested`)],
    tags: () => [
      each(stepsOf(sql`s.tags`, sql`s.ingested`)),
      each(newest(projectId, sql`t`, sql`threads`, sql`t.tags`, sql`true`, most)),
    ],
    user: () => [newest(projectId, sql`p`, sql`participants`, sql`p.identifier`, sql`true`, most)],
    score: () => [newest(projectId, sql`c`, sql`scores`, sql`c.name`, sql`true`, most)],
  }[field]()
  const counts = new Map<string, number>()
  for (const source of sources) {
    const { rows } = await sql<{ value: string; count: number }>`
      SELECT v AS value, count(*)::integer AS count FROM (${source}) AS newest
      WHERE v IS NOT NULL AND (${prefix} = ''
        OR lower(left(v, length(${prefix}::text)) COLLATE "und-x-icu") = lower(${prefix}::text COLLATE "und-x-icu"))
      GROUP BY v ORDER BY count(*) DESC, v LIMIT ${sql.lit(sources.length === 1 ? first : most)}`.execute(
      db,
    )
    for (const { value, count } of rows) counts.set(value, (counts.get(value) ?? 0) + count)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, first)
}

/** Whether a project has any step. */
export const hasSteps = async (db: Database, projectId: string): Promise<boolean> => {
  const { rows } = await sql`
    SELECT s.id FROM steps s WHERE s.project_id = ${projectId} AND s.ingested
    ORDER BY s.created_at DESC LIMIT 1`.execute(db)
  return rows.length > 0
}
