import type { Database } from '../../database/database.js'
import type { Instant } from '../../kernel/instant.js'
import { SUBJECTS } from '../../storage/metrics.js'
import type { MarkGroup } from '../../storage/rollups/marks.js'
import { countRows } from '../../storage/rollups/read.js'
import { seriesDimensionsOf, UNSPLIT } from '../../storage/rollups/series.js'
import { type Source, SUBJECTS_OF } from '../../storage/rollups/spans.js'
import type { MeasuredSeries } from '../../storage/rollups/write.js'
import { addRows, type Summed, seriesOf } from './dense.js'
import { findParts } from './parts.js'
import { SeriesSums } from './series-sums.js'
import { rangeOfSpan, sumShorter } from './shorter.js'

/** Rows outside of shorter spans that are read for a longer one. */
const MAX_ROWS = 20_000

/**
 * Puts a span together from shorter ones, and from the rows of what these leave, so many at a time. Leaves it out while too much
 * of it is not measured: it is marked again with those that are. Properties of which a shorter span has too many series are
 * left out too.
 */
export const mergeSpan = async (
  db: Database,
  group: MarkGroup<Source>,
  start: Instant,
  portionRows: number,
): Promise<MeasuredSeries[]> => {
  const { projectId, source, seconds } = group
  const measured: MeasuredSeries[] = []
  const range = rangeOfSpan(start, seconds)
  for (const subject of SUBJECTS_OF[source]) {
    const { sums, gaps } = await sumShorter(
      seriesDimensionsOf(subject),
      (dimension) => {
        const by = dimension === UNSPLIT ? undefined : dimension
        return findParts(db, { projectId, subject, by, range })
      },
      () => new SeriesSums(),
    )
    const count = await countRows(db, projectId, SUBJECTS[subject], range, gaps, MAX_ROWS + 1)
    if (count > MAX_ROWS) continue
    let left: Summed[] = [...sums].map(([dimension, own]) => ({ subject, dimension, sums: own }))
    for (const gap of count > 0 ? gaps : []) left = await addRows(db, group, gap, left, portionRows)
    measured.push(...seriesOf(left))
  }
  return measured
}
