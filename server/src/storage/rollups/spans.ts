import type { Database } from '../../database/database.js'
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

/** Holds for moments in a range. */
export const inSpan = (moment: Sql<Instant>, { from, to }: Span): Sql =>
  sql`${moment} >= ${from}::timestamptz AND ${moment} < ${to}::timestamptz`

/**
 * Reads rows of several ranges, each by an index: in one condition they would be a filter of all that lies between. Each range
 * selects the column that distributes its table, as workers of a distributed database then read all ranges at once; without it,
 * one range follows the other, and all of their rows go to the coordinator. So does a limit of the union itself.
 */
export const ofSpans = (spans: readonly Span[], read: (span: Span) => Sql): Sql =>
  sql.join(spans.map(read), sql` UNION ALL `)

/** Ranges that a statement reads rows of: the planner weighs each. */
const RANGES_AT_ONCE = 50

/** Returns ranges in lists that a statement may read. */
export const chunks = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / RANGES_AT_ONCE) }, (_, index) =>
    items.slice(index * RANGES_AT_ONCE, (index + 1) * RANGES_AT_ONCE),
  )

/** Counts rows in some ranges, up to a number. `read` selects their ids alone. */
export const countOfSpans = async (
  db: Database,
  spans: readonly Span[],
  most: number,
  read: (span: Span) => Sql,
): Promise<number> => {
  let counted = 0
  for (const some of chunks(spans)) {
    const { rows } = await sql`
      SELECT ${select({ count: cast('bigint', sql`count(*)`) })} FROM (
        SELECT found.id FROM (${ofSpans(some, read)}) AS found LIMIT ${sql.lit(most - counted)}) AS counted`.execute(
      db,
    )
    counted += rows[0]?.count ?? 0
    if (counted >= most) break
  }
  return counted
}
