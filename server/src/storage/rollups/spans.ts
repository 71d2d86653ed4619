import type { Database } from '../../database/database.js'
import { wasDistributedLately } from '../../database/distribution/cluster.js'
import { cast } from '../../database/rows/columns.js'
import { type Sql, select, sql } from '../../database/rows/sql.js'
import type { Instant } from '../../kernel/instant.js'

/** The lengths of the spans of time that are measured ahead, in seconds. Each begins with one of the next longer. */
export const MINUTE = 60
export const TEN_MINUTES = 600
export const HOUR = 3600
/** Half of the shortest bucket that charts of a month have, which begins at any hour. */
export const SIX_HOURS = 21_600
export const DAY = 86_400
/** Shortest first: a change is measured in that order. */
export const LENGTHS = [MINUTE, TEN_MINUTES, HOUR, SIX_HOURS, DAY] as const

/** The table that rows of a subject are in, as marks name it. */
export type Source = 'steps' | 'threads'

/** All tables whose spans are marked. */
export type MarkedSource = Source | 'scores'

export const SUBJECTS_OF = {
  steps: ['steps', 'runs', 'generations'],
  threads: ['threads'],
} as const satisfies Record<Source, readonly string[]>

export type RolledSubject = (typeof SUBJECTS_OF)[Source][number]

/** Returns the start of the span of a length that a moment is in. */
export const spanStart = (moment: Instant, seconds: number): Instant => {
  const length = seconds * 1000
  return instantAt(Math.floor(Date.parse(moment) / length) * length)
}

/** Returns the moment that is some seconds after the start of a span; past the last year, a text that sorts behind all moments. */
export const after = (start: Instant, seconds: number): Instant => {
  const end = Date.parse(start) + seconds * 1000
  return end < END_OF_CALENDAR ? instantAt(end) : 'infinity'
}

const END_OF_CALENDAR = Date.UTC(10_000, 0)

const instantAt = (milliseconds: number): Instant =>
  `${new Date(milliseconds).toISOString().slice(0, 23)}000Z`

/** Returns the start of the span that a moment is in, in a statement. */
export const startOfSpan = (moment: Sql<Instant>, seconds: number) =>
  sql`date_bin(make_interval(secs => ${sql.lit(seconds)}), ${moment}, '0001-01-01 00:00:00+00')`

/** A range of time, without its end. */
export interface Span {
  from: Instant
  to: Instant
}

/** The bounds of a range: moments, or those of a row in a statement. */
export interface Bounds {
  from: Instant | Sql<Instant>
  to: Instant | Sql<Instant>
}

/** Holds for moments in a range. */
export const inSpan = (moment: Sql<Instant>, { from, to }: Bounds): Sql =>
  sql`${moment} >= ${from}::timestamptz AND ${moment} < ${to}::timestamptz`

const OF_ROW: Bounds = {
  from: cast('timestamptz', sql`range.begins`),
  to: cast('timestamptz', sql`range.ends`),
}

/**
 * Reads rows of several ranges, each by an index: in one condition they would be a filter of all that lies between. The offset
 * keeps the planner from reading all rows for each range, and it weighs the subquery once: fifty ranges took it 12 ms as parts
 * of a union. On a cluster only for tables whose rows of a project are together: elsewhere it rejects such a subquery.
 */
export const byRanges = (spans: readonly Span[], read: (bounds: Bounds) => Sql): Sql => sql`
  SELECT found.* FROM unnest(${spans.map(({ from }) => from)}::timestamptz[], ${spans.map(({ to }) => to)}::timestamptz[])
    AS range (begins, ends) CROSS JOIN LATERAL (${read(OF_ROW)} OFFSET 0) AS found`

/**
 * Reads the same on a cluster. Each range selects the column that distributes its table, as workers then read all ranges at once;
 * without it, one range follows the other, and all of their rows go to the coordinator. So does a limit of the union itself.
 */
export const ofSpans = <Of extends Bounds>(spans: readonly Of[], read: (span: Of) => Sql): Sql =>
  sql.join(spans.map(read), sql` UNION ALL `)

/** Ranges that a union reads rows of: the planner weighs each. */
const RANGES_AT_ONCE = 50

/** Returns ranges in lists that a union may read. */
export const chunks = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / RANGES_AT_ONCE) }, (_, index) =>
    items.slice(index * RANGES_AT_ONCE, (index + 1) * RANGES_AT_ONCE),
  )

/** Returns what reads the rows of several ranges of a large table: one statement, and several on a cluster. */
export const readsOf = async (
  db: Database,
  spans: readonly Span[],
  read: (bounds: Bounds) => Sql,
): Promise<Sql[]> => {
  if (spans.length === 0) return []
  return (await wasDistributedLately(db))
    ? chunks(spans).map((some) => ofSpans(some, read))
    : [byRanges(spans, read)]
}

/** Counts rows in some ranges, up to a number. `read` selects their ids alone. */
export const countOfSpans = async (
  db: Database,
  spans: readonly Span[],
  most: number,
  read: (bounds: Bounds) => Sql,
): Promise<number> => {
  let counted = 0
  for (const ids of await readsOf(db, spans, read)) {
    const { rows } = await sql`
      SELECT ${select({ count: cast('bigint', sql`count(*)`) })} FROM (
        SELECT found.id FROM (${ids}) AS found LIMIT ${sql.lit(most - counted)}) AS counted`.execute(
      db,
    )
    counted += rows[0]?.count ?? 0
    if (counted >= most) break
  }
  return counted
}
