import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { type Sql, select, sql } from '../../database/rows/sql.js'
import { s, t } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import { SUBJECTS } from '../metrics.js'
import type { SeriesItem } from './cells.js'
import type { MarkGroup } from './marks.js'
import { rowsOfSpans, seriesOfRows } from './series.js'
import { inSpan, type RolledSubject, type Source, type Span } from './spans.js'
import { MAX_SERIES } from './write.js'

/** A row by its place in the order in which a span is read. */
export interface RowPlace {
  at: Instant
  id: string
}

/** Rows of a span from one place on, before another one: from its begin and to its end where there is none. */
export interface Portion extends Span {
  first?: RowPlace | undefined
  next?: RowPlace | undefined
}

const ID = { steps: s.id, threads: t.id }

/** Holds for the rows of a portion, by an index that has them in this order. */
const inPortion = (
  { projectId, source }: Pick<MarkGroup<Source>, 'projectId' | 'source'>,
  { first, next, ...span }: Portion,
): Sql => {
  const { projectId: owner, startedAt } = SUBJECTS[source]
  const place = sql`(${startedAt}, ${ID[source]})`
  const ofRow = ({ at, id }: RowPlace) => sql`(${at}::timestamptz, ${id})`
  return sql`${owner} = ${projectId} AND ${inSpan(startedAt, span)}
    ${first === undefined ? sql`` : sql`AND ${place} >= ${ofRow(first)}`}
    ${next === undefined ? sql`` : sql`AND ${place} < ${ofRow(next)}`}`
}

/** Returns the row behind some number of rows; undefined when there are no more. */
export const findRowBehind = async (
  db: Database,
  group: Pick<MarkGroup<Source>, 'projectId' | 'source'>,
  portion: Portion,
  rowCount: number,
): Promise<RowPlace | undefined> => {
  const { table, startedAt, always } = SUBJECTS[group.source]
  const id = ID[group.source]
  const { rows } = await sql`
    SELECT ${select({ at: startedAt, id })} FROM ${table} WHERE ${inPortion(group, portion)} AND ${always}
    ORDER BY ${startedAt}, ${id} OFFSET ${sql.lit(rowCount)} LIMIT 1`.execute(db)
  return rows[0]
}

/** Measures the rows of a portion by some properties. Series are null when there are more than are kept. */
export const measurePortion = async (
  db: Database,
  group: MarkGroup<Source>,
  subject: RolledSubject,
  dimensions: readonly string[],
  portion: Portion,
): Promise<{ dimension: string; series: SeriesItem[] | null }[]> => {
  const measured = select({
    dimension: cast('text', sql`m.dimension`),
    series: cast('json | null', sql`m.series`).narrow<SeriesItem[] | null>(),
  })
  const { rows } = await sql`
    WITH r AS MATERIALIZED (${rowsOfSpans(subject, group.seconds, inPortion(group, portion))})
    SELECT ${measured} FROM (${seriesOfRows(dimensions, MAX_SERIES)}) AS m`.execute(db)
  return rows
}
