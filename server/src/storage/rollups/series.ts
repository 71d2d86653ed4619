import { type Sql, sql } from '../../database/rows/sql.js'
import { SUBJECTS } from '../metrics.js'
import { cellSums, measuredColumns, seriesItem } from './cells.js'
import { type RolledSubject, startOfSpan } from './spans.js'

/** Properties with too many values to keep them. */
const NOT_ROLLED = ['user', 'environment']
/** The property of series that nothing splits. Each series is of one environment. */
export const UNSPLIT = 'none'

/** Returns the properties by which a subject's rows are measured ahead. */
export const dimensionsOf = (subject: RolledSubject): string[] =>
  Object.keys(SUBJECTS[subject].dimensions).filter((name) => !NOT_ROLLED.includes(name))

/** Returns the dimensions of the series of a subject: none, and each property. */
export const seriesDimensionsOf = (subject: RolledSubject): string[] => [
  UNSPLIT,
  ...dimensionsOf(subject),
]

/** Selects the start of its span, the values of properties and the measured columns of each row for which a test holds. */
export const rowsOfSpans = (name: RolledSubject, seconds: number, test: Sql): Sql => {
  const subject = SUBJECTS[name]
  const columns = dimensionsOf(name).map(
    (dimension) => sql`, ${subject.dimensions[dimension]} AS ${sql.ref(`by_${dimension}`)}`,
  )
  return sql`
    SELECT ${subject.id}, ${startOfSpan(subject.startedAt, seconds)} AS start, ${measuredColumns(subject)} ${sql.join(columns, sql``)}
    FROM ${subject.table} WHERE ${subject.always} AND ${test}`
}

/**
 * Selects the series of rows `r`, for each start and property: as `dimension`, `start`, `series`, which is null when there are
 * more than may be, and the number of their rows as `n`.
 */
export const seriesOfRows = (dimensions: readonly string[], mostSeries: number): Sql => {
  const parts = dimensions.map((dimension) => {
    const key = dimension === UNSPLIT ? sql`NULL::text` : sql.ref(`by_${dimension}`)
    return sql`
      SELECT ${dimension}::text AS dimension, start, sum(n) AS n,
        CASE WHEN count(*) <= ${sql.lit(mostSeries)} THEN json_agg(item) END AS series FROM (
        SELECT start, sum(n) AS n, ${seriesItem} AS item FROM (
          SELECT start, env, ${key} AS key, class, ${cellSums} FROM r GROUP BY 1, 2, 3, 4) AS cells
        GROUP BY start, env, key) AS items
      GROUP BY start`
  })
  return sql.join(parts, sql` UNION ALL `)
}
