import type { Database } from '../../database/database.js'
import type { Instant } from '../../kernel/instant.js'
import type { MarkGroup } from '../../storage/rollups/marks.js'
import { findRowBehind, measurePortion, type Portion } from '../../storage/rollups/portions.js'
import { seriesDimensionsOf } from '../../storage/rollups/series.js'
import {
  after,
  type RolledSubject,
  type Source,
  type Span,
  SUBJECTS_OF,
} from '../../storage/rollups/spans.js'
import { MAX_SERIES, type MeasuredSeries } from '../../storage/rollups/write.js'
import { SeriesSums } from './series-sums.js'

/** The sums of a subject's rows by one property, while they are read. */
export interface Summed {
  subject: RolledSubject
  dimension: string
  sums: SeriesSums
}

/** Measures a span from its rows, so many at a time that nobody waits for long. Leaves out properties with too many series. */
export const measureDense = async (
  db: Database,
  group: MarkGroup<Source>,
  start: Instant,
  portionRows: number,
): Promise<MeasuredSeries[]> => {
  const summed = SUBJECTS_OF[group.source].flatMap((subject) =>
    seriesDimensionsOf(subject).map((dimension) => ({
      subject,
      dimension,
      sums: new SeriesSums(),
    })),
  )
  const span = { from: start, to: after(start, group.seconds) }
  return seriesOf(await addRows(db, group, span, summed, portionRows))
}

export const seriesOf = (summed: readonly Summed[]): MeasuredSeries[] =>
  summed.map(({ subject, dimension, sums }) => ({ subject, dimension, series: sums.items() }))

/**
 * Adds the rows of a range, which lies in a span of the group, to sums: so many rows at a time. Returns those sums that have
 * few enough series to be kept.
 */
export const addRows = async (
  db: Database,
  group: MarkGroup<Source>,
  range: Span,
  summed: readonly Summed[],
  portionRows: number,
): Promise<Summed[]> => {
  let left = [...summed]
  const portion: Portion = { ...range }
  do {
    portion.next = await findRowBehind(db, group, portion, portionRows)
    for (const subject of SUBJECTS_OF[group.source]) {
      const own = left.filter((one) => one.subject === subject)
      if (own.length === 0) continue
      const dimensions = own.map(({ dimension }) => dimension)
      for (const found of await measurePortion(db, group, subject, dimensions, portion)) {
        const one = own.find(({ dimension }) => dimension === found.dimension)
        for (const item of found.series ?? []) one?.sums.add(item)
        if (found.series === null || (one?.sums.size ?? 0) > MAX_SERIES)
          left = left.filter((other) => other !== one)
      }
    }
    portion.first = portion.next
  } while (portion.next !== undefined && left.length > 0)
  return left
}
