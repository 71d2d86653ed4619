import type { Database } from '../../database/database.js'
import { json } from '../../database/parameters.js'
import { sql } from '../../database/rows/sql.js'
import type { Instant } from '../../kernel/instant.js'
import { SUBJECTS } from '../metrics.js'
import type { SeriesItem } from './cells.js'
import type { MarkGroup } from './marks.js'
import { rowsOfSpans, seriesDimensionsOf, seriesOfRows } from './series.js'
import {
  after,
  countOfSpans,
  inSpan,
  type RolledSubject,
  readsOf,
  type Source,
  type Span,
  SUBJECTS_OF,
} from './spans.js'

/** Series of a span by one property. A span that has more is read from its rows. */
export const MAX_SERIES = 200

/** Measures spans from their rows. Leaves out those with few rows, and properties with too many series. */
export const measureSpans = async (
  db: Database,
  { projectId, source, seconds }: MarkGroup<Source>,
  starts: readonly Instant[],
  fewestRows: number,
): Promise<void> => {
  for (const name of SUBJECTS_OF[source]) {
    const subject = SUBJECTS[name]
    const reads = await readsOf(db, joined(starts, seconds), (bounds) =>
      rowsOfSpans(
        name,
        seconds,
        sql`${subject.projectId} = ${projectId} AND ${inSpan(subject.startedAt, bounds)}`,
      ),
    )
    for (const read of reads)
      await sql`
        INSERT INTO rollups (project_id, subject, dimension, seconds, start, series)
        WITH r AS MATERIALIZED (${read})
        SELECT ${projectId}, ${name}, m.dimension, ${seconds}::integer, m.start, m.series
        FROM (${seriesOfRows(seriesDimensionsOf(name), MAX_SERIES)}) AS m
        WHERE m.series IS NOT NULL AND m.n >= ${sql.lit(fewestRows)}`.execute(db)
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

/** The series of a span by one property. */
export interface MeasuredSeries<Item = SeriesItem> {
  subject: Item extends SeriesItem ? RolledSubject : 'scores'
  dimension: string
  series: Item[]
}

/** Stores series of a span that were measured before. */
export const storeSeries = async <Item = SeriesItem>(
  db: Database,
  { projectId, seconds }: MarkGroup,
  start: Instant,
  { subject, dimension, series }: MeasuredSeries<Item>,
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
  { projectId, source }: Pick<MarkGroup<Source>, 'projectId' | 'source'>,
  spans: readonly Span[],
  fewest: number,
): Promise<boolean> => {
  const { table, id, startedAt, projectId: owner, always } = SUBJECTS[source]
  const counted = await countOfSpans(
    db,
    spans,
    fewest,
    (bounds) =>
      sql`SELECT ${id} AS id FROM ${table} WHERE ${owner} = ${projectId} AND ${always} AND ${inSpan(startedAt, bounds)}`,
  )
  return counted >= fewest
}
