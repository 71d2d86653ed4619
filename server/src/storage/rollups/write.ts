import type { Database } from '../../database/database.js'
import { json } from '../../database/parameters.js'
import { cast } from '../../database/rows/columns.js'
import { select, sql } from '../../database/rows/sql.js'
import type { Instant } from '../../kernel/instant.js'
import { SUBJECTS } from '../metrics.js'
import { cellSums, measuredColumns, type SeriesItem, seriesItem } from './cells.js'
import type { MarkGroup } from './marks.js'
import {
  after,
  inSpan,
  ofSpans,
  type RolledSubject,
  type Span,
  SUBJECTS_OF,
  startOfSpan,
} from './spans.js'

/** Series of a span by one property. A span that has more is read from its rows. */
export const MAX_SERIES = 200
/** Properties with too many values to keep them. */
const NOT_ROLLED = ['user', 'environment']
/** The property of series that nothing splits. Each series is of one environment. */
export const UNSPLIT = 'none'

/** Returns the properties by which a subject's rows are measured ahead. */
export const dimensionsOf = (subject: RolledSubject): string[] =>
  Object.keys(SUBJECTS[subject].dimensions).filter((name) => !NOT_ROLLED.includes(name))

/** Measures spans from their rows. Leaves out those with few rows, and properties with too many series. */
export const measureSpans = async (
  db: Database,
  { projectId, source, seconds }: MarkGroup,
  starts: readonly Instant[],
  fewestRows: number,
): Promise<void> => {
  for (const name of SUBJECTS_OF[source]) {
    const subject = SUBJECTS[name]
    const dimensions = dimensionsOf(name)
    const columns = dimensions.map(
      (dimension) => sql`${subject.dimensions[dimension]} AS ${sql.ref(`by_${dimension}`)}`,
    )
    const parts = [UNSPLIT, ...dimensions].map((dimension) => {
      const key = dimension === UNSPLIT ? sql`NULL::text` : sql.ref(`by_${dimension}`)
      return sql`
        SELECT ${dimension}::text AS dimension, start, json_agg(item) AS series FROM (
          SELECT start, sum(n) AS n, ${seriesItem} AS item FROM (
            SELECT start, env, ${key} AS key, class, ${cellSums} FROM r GROUP BY 1, 2, 3, 4) AS cells
          GROUP BY start, env, key) AS items
        GROUP BY start HAVING count(*) <= ${sql.lit(MAX_SERIES)} AND sum(n) >= ${sql.lit(fewestRows)}`
    })
    await sql`
      INSERT INTO rollups (project_id, subject, dimension, seconds, start, series)
      WITH r AS MATERIALIZED (${ofSpans(
        joined(starts, seconds),
        (span) => sql`
          SELECT ${startOfSpan(subject.startedAt, seconds)} AS start, ${measuredColumns(subject)}
            ${columns.length === 0 ? sql`` : sql`, ${sql.join(columns)}`}
          FROM ${subject.table}
          WHERE ${subject.projectId} = ${projectId} AND ${subject.always}
            AND ${inSpan(subject.startedAt, span)}`,
      )})
      SELECT ${projectId}, ${name}, m.dimension, ${seconds}::integer, m.start, m.series
      FROM (${sql.join(parts, sql` UNION ALL `)}) AS m`.execute(db)
  }
}

/** Returns spans of one length as ranges, neighbouring ones as one. */
const joined = (starts: readonly Instant[], seconds: number): Span[] => {
  const ranges: Span[] = []
  for (const from of [...starts].sort()) {
    const to = after(from, seconds)
    const last = ranges.at(-1)
    if (last?.to === from) last.to = to
    else ranges.push({ from, to })
  }
  return ranges
}

/** Stores a span that was put together. */
export const storeSpan = async (
  db: Database,
  { projectId, seconds }: MarkGroup,
  { subject, dimension }: { subject: RolledSubject; dimension: string },
  start: Instant,
  series: readonly SeriesItem[],
): Promise<void> => {
  await sql`
    INSERT INTO rollups (project_id, subject, dimension, seconds, start, series)
    VALUES (${projectId}, ${subject}, ${dimension}, ${seconds}::integer, ${start}::timestamptz, ${json(series)})`.execute(
    db,
  )
}

/** Returns true when some ranges have at least some number of rows. */
export const hasRows = async (
  db: Database,
  { projectId, source }: Pick<MarkGroup, 'projectId' | 'source'>,
  spans: readonly Span[],
  fewest: number,
): Promise<boolean> => {
  const { table, startedAt, projectId: owner, always } = SUBJECTS[source]
  const { rows } = await sql`
    SELECT ${select({ count: cast('bigint', sql`count(*)`) })} FROM (
      ${ofSpans(
        spans,
        (span) =>
          sql`SELECT 1 FROM ${table} WHERE ${owner} = ${projectId} AND ${always} AND ${inSpan(startedAt, span)}`,
      )}
      LIMIT ${sql.lit(fewest)}) AS counted`.execute(db)
  return (rows[0]?.count ?? 0) >= fewest
}
