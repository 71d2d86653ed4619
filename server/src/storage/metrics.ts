import type { Database } from '../database/database.js'
import { cast } from '../database/rows/columns.js'
import { type RowOf, type Sql, select, sql } from '../database/rows/sql.js'
import { c, p, s, t } from '../database/rows/tables.js'
import type { Instant } from '../kernel/instant.js'
import { counted } from './ingestion/nested-calls.js'
import { isUnpriced } from './prices/costs.js'
import { hasFailed } from './reading/failures.js'
import { startOfStep, startOfThread } from './reading/starts.js'
import type { Bounds } from './rollups/spans.js'

/** A kind of rows that can be counted over time. */
export interface Subject {
  table: Sql
  id: Sql<string>
  startedAt: Sql<Instant>
  projectId: Sql<string>
  /** Holds for all rows of the kind. */
  always: Sql
  hasFailed: Sql
  /** Seconds. */
  duration: Sql<number | null>
  inputTokens: Sql<number | null>
  outputTokens: Sql<number | null>
  tokens: Sql<number | null>
  /** Picodollars. */
  cost: Sql<number | null>
  unpriced: Sql<number>
  environment: Sql<string | null>
  participantId: Sql<string | null>
  dimensions: Record<string, Sql<string | null>>
}

const none = cast('float8 | null', sql`NULL`)
/** Properties tell values apart by their first characters, of the text that is stored: shorter values are whole. */
export const TOLD_CHARACTERS = 200

const start = (text: Sql<string | null>) =>
  cast('text | null', sql`left(${text}, ${sql.lit(TOLD_CHARACTERS)})`)
const release = (metadata: Sql) =>
  start(
    cast(
      'text | null',
      sql`CASE WHEN json_typeof(${metadata}) = 'object' THEN ${metadata} ->> 'release' END`,
    ),
  )
const stepDuration = cast('float8 | null', sql`extract(epoch FROM ${s.endTime} - ${s.startTime})`)
const steps = {
  table: sql`steps s`,
  id: s.id,
  startedAt: startOfStep,
  projectId: s.projectId,
  hasFailed,
  inputTokens: cast('float8 | null', counted.inputTokens),
  outputTokens: cast('float8 | null', counted.outputTokens),
  tokens: cast('float8 | null', counted.tokens),
  cost: counted.cost,
  unpriced: cast('integer', sql`${isUnpriced}::integer`),
  environment: s.environment,
  participantId: s.participantId,
}
const ofStep = {
  environment: s.environment,
  release: release(s.metadata),
  user: s.participantId,
}

export const SUBJECTS: Record<'threads' | 'runs' | 'steps' | 'generations', Subject> = {
  threads: {
    table: sql`threads t`,
    id: t.id,
    startedAt: startOfThread,
    projectId: t.projectId,
    always: sql`true`,
    hasFailed: sql`${t.errorCount} > 0`,
    duration: t.duration,
    inputTokens: none,
    outputTokens: none,
    tokens: cast('float8 | null', t.tokenCount),
    cost: t.cost,
    unpriced: t.unpricedCount,
    environment: t.environment,
    participantId: t.participantId,
    dimensions: {
      environment: t.environment,
      release: release(t.metadata),
      user: t.participantId,
    },
  },
  runs: {
    ...steps,
    always: sql`s.type = 'run' AND s.ingested`,
    duration: stepDuration,
    dimensions: { ...ofStep, name: start(s.name) },
  },
  steps: {
    ...steps,
    always: s.ingested,
    duration: stepDuration,
    dimensions: { ...ofStep, name: start(s.name), type: s.type },
  },
  generations: {
    ...steps,
    always: sql`s.has_generation AND s.ingested`,
    duration: cast('float8 | null', sql`coalesce(${s.genDuration}, ${stepDuration})`),
    dimensions: {
      ...ofStep,
      model: start(s.genModel),
      provider: start(s.genProvider),
      promptVersion: s.genPromptId,
    },
  },
}

export interface Range {
  from: Instant
  to: Instant
  bucketSeconds: number
  environment: string | null
  participantId: string | null
  /** Leaves out the environment of experiments. */
  excludeExperiments: boolean
  /** Holds for the rows to measure; all of them when absent. */
  matching?: Sql | undefined
}

const count = cast('integer', sql`count(*)`)
/** The columns measured in the rows of a range, which are called `r`. */
const measured = select({
  /** Null for rows without a value, and for all others. */
  key: cast('text | null', sql`r.key`),
  isRest: cast('boolean', sql`r."isRest"`),
  count,
  errorCount: cast('integer', sql`count(*) FILTER (WHERE r.failed)`),
  percentiles: cast(
    'json | null',
    sql`to_json(percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY r.seconds))`,
  ).narrow<(number | null)[] | null>(),
  inputTokens: cast('float8 | null', sql`sum(r.input)`),
  outputTokens: cast('float8 | null', sql`sum(r.output)`),
  tokens: cast('float8 | null', sql`sum(r.tokens)`),
  // Exact until the last step.
  cost: cast('float8 | null', sql`sum(r.cost)::float8 / 1e12::float8`),
  unpriced: cast('float8', sql`coalesce(sum(r.unpriced), 0)`),
})
/** The number of the bucket; null for the whole range. */
const bucket = cast('integer | null', sql`r.bucket`)

export type MeasurementRow = RowOf<typeof measured> & { bucket: number | null }

/** Holds for the rows of a range. */
export const within = (
  subject: Subject,
  projectId: string,
  {
    from,
    to,
    environment,
    participantId,
    excludeExperiments,
    matching,
  }: Omit<Range, 'from' | 'to'> & Bounds,
) => sql`
  ${subject.projectId} = ${projectId} AND ${subject.startedAt} >= ${from}::timestamptz
  AND ${subject.startedAt} < ${to}::timestamptz AND ${subject.always}
  ${environment === null ? sql`` : sql`AND ${subject.environment} = ${environment}`}
  ${participantId === null ? sql`` : sql`AND ${subject.participantId} = ${participantId}`}
  ${excludeExperiments ? sql`AND ${subject.environment} IS DISTINCT FROM 'experiment'` : sql``}
  ${matching === undefined ? sql`` : sql`AND (${matching})`}`

/** Returns true when a range has more rows than may be read. */
export const isMoreThan = async (
  db: Database,
  projectId: string,
  subject: Subject,
  range: Range,
  most: number,
): Promise<boolean> => {
  const { rows } = await sql`
    SELECT ${select({ count })} FROM (
      SELECT 1 FROM ${subject.table} WHERE ${within(subject, projectId, range)} LIMIT ${sql.lit(most + 1)}) AS counted`.execute(
    db,
  )
  return (rows[0]?.count ?? 0) > most
}

/** Returns the most frequent values of a dimension, null among them. */
export const findLargest = async (
  db: Database,
  projectId: string,
  subject: Subject,
  range: Range,
  dimension: Sql<string | null>,
  most: number,
): Promise<(string | null)[]> => {
  const { rows } = await sql`
    SELECT ${select({ key: dimension })} FROM ${subject.table} WHERE ${within(subject, projectId, range)}
    GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ${sql.lit(most)}`.execute(db)
  return rows.map(({ key }) => key)
}

/** Measures a range: each series in total, and in each bucket in which it has rows. */
export const measure = async (
  db: Database,
  projectId: string,
  subject: Subject,
  range: Range,
  split: { dimension: Sql<string | null>; largest: readonly (string | null)[] } | undefined,
): Promise<MeasurementRow[]> => {
  const known = split?.largest.filter((key) => key !== null) ?? []
  const isShown =
    split === undefined
      ? sql`true`
      : // Null is not null but false among no values.
        sql`CASE WHEN ${split.dimension} IS NULL THEN ${split.largest.includes(null)}::boolean
          ELSE ${split.dimension} = ANY(${known}::text[]) END`
  const key = split === undefined ? sql`NULL::text` : sql`${split.dimension}`
  const source = sql`(
      SELECT CASE WHEN ${isShown} THEN ${key} END AS key, NOT ${isShown} AS "isRest",
        floor(extract(epoch FROM ${subject.startedAt} - ${range.from}::timestamptz) / ${range.bucketSeconds}::float8)::integer AS bucket,
        ${subject.hasFailed} AS failed, ${subject.duration} AS seconds, ${subject.inputTokens} AS input,
        ${subject.outputTokens} AS output, ${subject.tokens} AS tokens, ${subject.cost} AS cost, ${subject.unpriced} AS unpriced
      FROM ${subject.table} WHERE ${within(subject, projectId, range)}) AS r`
  // Two statements, as a distributed database has no GROUPING SETS; of one moment, so that the parts add up to the
  // whole.
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      const total = select({ bucket: cast('integer | null', sql`NULL`) })
      const totals = await sql`
        SELECT ${measured}, ${total} FROM ${source}
        GROUP BY key, "isRest"`.execute(snapshot)
      const buckets = await sql`
        SELECT ${measured}, ${select({ bucket })} FROM ${source}
        GROUP BY key, "isRest", r.bucket ORDER BY r.bucket`.execute(snapshot)
      return [...totals.rows, ...buckets.rows]
    })
}

export type FacetField = 'name' | 'model' | 'provider' | 'tags' | 'user' | 'score'

const newest = (
  projectId: string,
  alias: Sql,
  table: Sql,
  value: Sql,
  always: Sql,
  most: number,
) => sql`
  SELECT ${value} AS v FROM ${table} ${alias}
  WHERE ${alias}.project_id = ${projectId} AND ${always}
  ORDER BY ${alias}.created_at DESC, ${alias}.id DESC LIMIT ${sql.lit(most)}`

/** Returns the most frequent values among the newest rows. */
export const findFacets = async (
  db: Database,
  projectId: string,
  field: FacetField,
  { prefix, first, most }: { prefix: string; first: number; most: number },
): Promise<{ value: string; count: number }[]> => {
  const stepsOf = (value: Sql, always: Sql) =>
    newest(projectId, sql`s`, sql`steps`, value, always, most)
  const each = (lists: Sql) => sql`SELECT unnest(v) AS v FROM (${lists}) AS lists`
  const sources = {
    name: () => [stepsOf(s.name, s.ingested)],
    model: () => [stepsOf(s.genModel, sql`s.has_generation AND s.ingested`)],
    provider: () => [stepsOf(s.genProvider, sql`s.has_generation AND s.ingested`)],
    tags: () => [
      each(stepsOf(s.tags, s.ingested)),
      each(newest(projectId, sql`t`, sql`threads`, t.tags, sql`true`, most)),
    ],
    user: () => [newest(projectId, sql`p`, sql`participants`, p.identifier, sql`true`, most)],
    score: () => [newest(projectId, sql`c`, sql`scores`, c.name, sql`true`, most)],
  }[field]()
  const counts = new Map<string, number>()
  for (const source of sources) {
    const { rows } = await sql`
      SELECT ${select({ value: cast('text', sql`v`), count })} FROM (${source}) AS newest
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

/** Returns true when a project has any step. */
export const hasSteps = async (db: Database, projectId: string): Promise<boolean> => {
  const { rows } = await sql`
    SELECT s.id FROM steps s WHERE s.project_id = ${projectId} AND s.ingested
    ORDER BY s.created_at DESC LIMIT 1`.execute(db)
  return rows.length > 0
}
