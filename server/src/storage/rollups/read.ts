import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import type { Sql } from '../../database/rows/sql.js'
import { select, sql } from '../../database/rows/sql.js'
import { rollups } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import { type Range, type Subject, within } from '../metrics.js'
import { cellSums, measuredColumns, type SeriesItem, seriesItem } from './cells.js'
import { byRanges, countOfSpans, inSpan, type RolledSubject, readsOf, type Span } from './spans.js'

/** The measured rows: those of a subject, by one property. */
export interface Rolled {
  projectId: string
  subject: RolledSubject | 'scores'
  dimension: string
  /** The key of the series to read; all of them when absent. */
  only?: string | undefined
}

export interface RolledSpan<Item = SeriesItem> {
  start: Instant
  series: Item[]
}

/** Returns the series of a column: all of them, or the one of a value. */
export const ofOneKey = <Item = SeriesItem>(series: Sql, only: string | undefined) => {
  const own =
    only === undefined
      ? series
      : sql`coalesce((
          SELECT json_agg(item) FROM json_array_elements(${series}) AS item WHERE item ->> 1 = ${only}), '[]')`
  return cast('json', own).narrow<Item[]>()
}

/** Returns measured spans that lie within some ranges: the newest ones, up to a number. */
export const findRolled = async <Item = SeriesItem>(
  db: Database,
  { projectId, subject, dimension, only }: Rolled,
  seconds: number,
  spans: readonly Span[],
  most: number,
): Promise<RolledSpan<Item>[]> => {
  const { rows } = await sql`
    SELECT ${select({ start: rollups.start, series: ofOneKey<Item>(rollups.series, only) })} FROM (${byRanges(
      spans,
      (bounds) => sql`
        SELECT start, series FROM rollups
        WHERE project_id = ${projectId} AND subject = ${subject} AND dimension = ${dimension}
          AND seconds = ${seconds}::integer AND ${inSpan(rollups.start, bounds)}`,
    )}) AS rollups
    ORDER BY start DESC LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}

/** Counts rows in some ranges, up to a number. */
export const countRows = (
  db: Database,
  projectId: string,
  subject: Subject,
  range: Range,
  spans: readonly Span[],
  most: number,
): Promise<number> =>
  countOfSpans(
    db,
    spans,
    most,
    (bounds) => sql`
      SELECT ${subject.id} AS id FROM ${subject.table} WHERE ${within(subject, projectId, { ...range, ...bounds })}`,
  )

const measured = select({
  bucket: cast('integer', sql`bucket`),
  item: cast('json', sql`item`).narrow<SeriesItem>(),
})

/** Measures the rows in some ranges of a range, as series of its buckets. */
export const measureRows = async (
  db: Database,
  projectId: string,
  subject: Subject,
  range: Range,
  key: Sql<string | null> | undefined,
  spans: readonly Span[],
): Promise<{ bucket: number; item: SeriesItem }[]> => {
  const found: { bucket: number; item: SeriesItem }[] = []
  const reads = await readsOf(
    db,
    spans,
    (bounds) => sql`
      SELECT ${subject.id}, floor(extract(epoch FROM ${subject.startedAt} - ${range.from}::timestamptz) / ${range.bucketSeconds}::float8)::integer
        AS bucket, ${key ?? sql`NULL::text`} AS key, ${measuredColumns(subject)}
      FROM ${subject.table} WHERE ${within(subject, projectId, { ...range, ...bounds })}`,
  )
  for (const read of reads) {
    const { rows } = await sql`
      SELECT ${measured} FROM (
        SELECT bucket, ${seriesItem} AS item FROM (
          SELECT bucket, env, key, class, ${cellSums} FROM (${read}) AS r
          GROUP BY 1, 2, 3, 4) AS cells
        GROUP BY bucket, env, key) AS items`.execute(db)
    for (const row of rows) found.push(row)
  }
  return found
}
