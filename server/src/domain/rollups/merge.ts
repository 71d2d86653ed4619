import type { Database } from '../../database/database.js'
import type { Instant } from '../../kernel/instant.js'
import { type Range, SUBJECTS } from '../../storage/metrics.js'
import type { MarkGroup } from '../../storage/rollups/marks.js'
import { countRows } from '../../storage/rollups/read.js'
import { seriesDimensionsOf, UNSPLIT } from '../../storage/rollups/series.js'
import {
  after,
  type RolledSubject,
  type Source,
  type Span,
  SUBJECTS_OF,
} from '../../storage/rollups/spans.js'
import type { MeasuredSeries } from '../../storage/rollups/write.js'
import { addRows, type Summed, seriesOf } from './dense.js'
import { findParts } from './parts.js'
import { SeriesSums } from './series-sums.js'

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
  const range: Range = {
    from: start,
    to: after(start, seconds),
    bucketSeconds: seconds,
    environment: null,
    participantId: null,
    excludeExperiments: false,
  }
  for (const subject of SUBJECTS_OF[source]) {
    const { summed, gaps } = await sumsOfShorter(db, projectId, subject, range)
    const count = await countRows(db, projectId, SUBJECTS[subject], range, gaps, MAX_ROWS + 1)
    if (count > MAX_ROWS) continue
    let left = summed
    for (const gap of count > 0 ? gaps : []) left = await addRows(db, group, gap, left, portionRows)
    measured.push(...seriesOf(left))
  }
  return measured
}

/** Adds up the shorter spans of a range, by each property whose spans leave the same gaps as those of all rows. */
const sumsOfShorter = async (
  db: Database,
  projectId: string,
  subject: RolledSubject,
  range: Range,
): Promise<{ summed: Summed[]; gaps: Span[] }> => {
  const summed: Summed[] = []
  let common: Span[] | undefined
  for (const dimension of seriesDimensionsOf(subject)) {
    const by = dimension === UNSPLIT ? undefined : dimension
    const { parts, gaps } = await findParts(db, { projectId, subject, by, range })
    common ??= gaps
    if (JSON.stringify(gaps) !== JSON.stringify(common)) continue
    const sums = new SeriesSums()
    for (const { item } of parts) sums.add(item)
    summed.push({ subject, dimension, sums })
  }
  return { summed, gaps: common ?? [] }
}
