import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { type RowOf, select, sql } from '../../database/rows/sql.js'
import { c } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import type { Criterion, Test, Value } from '../../lists/fields.js'
import { SUBJECTS } from '../metrics.js'
import { isMeasurable } from '../scores/measurable.js'

/** The rows of a window that an alert computes its value from. */
export interface Watched {
  projectId: string
  subject: 'THREADS' | 'STEPS' | 'GENERATIONS' | 'SCORES'
  from: Instant
  to: Instant
  environment: string | null
  criteria: readonly Criterion[]
}

/** Rows of a window whose relations are looked up; and rows that are read at all. */
export interface WatchLimits {
  related: number
  rows: number
}

const none = sql`NULL`
/** The columns of scores that correspond to those of other rows. */
const scores = {
  table: sql`scores c`,
  id: c.id,
  projectId: c.projectId,
  startedAt: c.createdAt,
  always: sql`true`,
  hasFailed: sql`false`,
  duration: none,
  tokens: none,
  cost: none,
  environment: none,
  value: c.value,
}
const KINDS = {
  THREADS: { ...SUBJECTS.threads, id: sql`t.id`, value: none },
  STEPS: { ...SUBJECTS.steps, id: sql`s.id`, value: none },
  GENERATIONS: { ...SUBJECTS.generations, id: sql`s.id`, value: none },
  SCORES: scores,
}

const measured = select({
  count: cast('bigint', sql`count(*)`),
  errorCount: cast('bigint', sql`count(*) FILTER (WHERE r.failed)`),
  percentiles: cast(
    'json | null',
    sql`to_json(percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY r.seconds))`,
  ).narrow<(number | null)[] | null>(),
  tokens: cast('float8', sql`coalesce(sum(r.tokens), 0)`),
  // Exact until the last step.
  cost: cast('float8', sql`coalesce(sum(r.cost), 0)::float8 / 1e12::float8`),
  mean: cast('float8 | null', sql`avg(r.value) FILTER (WHERE ${isMeasurable(sql`r.value`)})`),
})

export type WatchedSums = RowOf<typeof measured>

const within = ({ projectId, subject, from, to, environment, criteria }: Watched): Test => {
  const kind = KINDS[subject]
  const tests = criteria.flatMap((one) => ('test' in one ? [sql`AND ${one.test}`] : []))
  return sql`
    ${kind.projectId} = ${projectId} AND ${kind.startedAt} >= ${from}::timestamptz
    AND ${kind.startedAt} < ${to}::timestamptz AND ${kind.always}
    ${environment === null ? sql`` : sql`AND ${kind.environment} = ${environment}`}
    ${tests.length === 0 ? sql`` : sql.join(tests, sql` `)}`
}

/** Measures the rows of a window; returns undefined when there are more than may be read. */
export const measureWatched = async (
  db: Database,
  watched: Watched,
  { related, rows: most }: WatchLimits,
): Promise<WatchedSums | undefined> => {
  const kind = KINDS[watched.subject]
  const relations = watched.criteria.flatMap((one) => ('relation' in one ? [one.relation] : []))
  let scope = within(watched)
  if (relations.length > 0) {
    const ids = await findRelated(db, watched, relations, related)
    if (ids === undefined) return undefined
    scope = sql`${kind.projectId} = ${watched.projectId} AND ${kind.id} = ANY(${ids}::text[])`
  }
  const { rows: counted } = await sql`
    SELECT ${select({ count: cast('bigint', sql`count(*)`) })} FROM (
      SELECT 1 FROM ${kind.table} WHERE ${scope} LIMIT ${sql.lit(most + 1)}) AS counted`.execute(db)
  if ((counted[0]?.count ?? 0) > most) return undefined
  const { rows } = await sql`
    SELECT ${measured} FROM (
      SELECT ${kind.hasFailed} AS failed, (${kind.duration})::float8 AS seconds, (${kind.tokens})::float8 AS tokens,
        (${kind.cost})::numeric AS cost, (${kind.value})::float8 AS value
      FROM ${kind.table} WHERE ${scope}) AS r`.execute(db)
  return rows[0]
}

/** Returns the ids of a window's rows that pass conditions on other tables, which no statement joins. */
const findRelated = async (
  db: Database,
  watched: Watched,
  relations: readonly Extract<Criterion, { relation: unknown }>['relation'][],
  most: number,
): Promise<string[] | undefined> => {
  const kind = KINDS[watched.subject]
  const links = Object.fromEntries(relations.map(({ link }, index) => [`link${index}`, link]))
  const columns: Record<`link${number}`, Value<string | null>> & { id: Value<string> } = {
    id: cast('text', kind.id),
    ...links,
  }
  const { rows } = await sql`
    SELECT ${select(columns)} FROM ${kind.table} WHERE ${within(watched)} LIMIT ${sql.lit(most + 1)}`.execute(
    db,
  )
  if (rows.length > most) return undefined
  let left = rows
  for (const [index, { passing, isNegated }] of relations.entries()) {
    const linkOf = (row: (typeof rows)[number]) => row[`link${index}`] ?? null
    const asked = [...new Set(left.map(linkOf))].filter((link) => link !== null)
    const passed = new Set<string>()
    for (let from = 0; from < asked.length; from += LOOKED_AT_ONCE)
      for (const link of await passing(asked.slice(from, from + LOOKED_AT_ONCE))) passed.add(link)
    left = left.filter((row) => passed.has(linkOf(row) ?? '') !== isNegated)
  }
  return left.map(({ id }) => id)
}

const LOOKED_AT_ONCE = 500
