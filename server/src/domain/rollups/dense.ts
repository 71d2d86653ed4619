import type { Database } from '../../database/database.js'
import type { Instant } from '../../kernel/instant.js'
import type { MarkGroup } from '../../storage/rollups/marks.js'
import { findRowBehind, measurePortion, type Portion } from '../../storage/rollups/portions.js'
import { seriesDimensionsOf } from '../../storage/rollups/series.js'
import { after, SUBJECTS_OF } from '../../storage/rollups/spans.js'
import { MAX_SERIES, type MeasuredSeries } from '../../storage/rollups/write.js'
import { SeriesSums } from './series-sums.js'

/** Measures a span from its rows, so many at a time that nobody waits for long. Leaves out properties with too many series. */
export const measureDense = async (
  db: Database,
  group: MarkGroup,
  start: Instant,
  portionRows: number,
): Promise<MeasuredSeries[]> => {
  let left = SUBJECTS_OF[group.source].flatMap((subject) =>
    seriesDimensionsOf(subject).map((dimension) => ({
      subject,
      dimension,
      sums: new SeriesSums(),
    })),
  )
  const portion: Portion = { from: start, to: after(start, group.seconds) }
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
  } while (portion.next !== undefined)
  return left.map(({ subject, dimension, sums }) => ({ subject, dimension, series: sums.items() }))
}
