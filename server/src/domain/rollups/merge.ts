import type { Database } from '../../database/database.js'
import type { Instant } from '../../kernel/instant.js'
import { type Range, SUBJECTS } from '../../storage/metrics.js'
import type { MarkGroup } from '../../storage/rollups/marks.js'
import { countRows, measureRows } from '../../storage/rollups/read.js'
import { seriesDimensionsOf, UNSPLIT } from '../../storage/rollups/series.js'
import { after, type Span, SUBJECTS_OF } from '../../storage/rollups/spans.js'
import type { MeasuredSeries } from '../../storage/rollups/write.js'
import { findParts, type Part } from './parts.js'
import { SeriesSums } from './series-sums.js'

/** Rows outside of shorter spans that are read for a longer one. */
const MAX_ROWS = 20_000

/**
 * Puts a span together from shorter ones, and from the rows of what these leave. Leaves it out while too much of it is not measured:
 * it is marked again with those that are. Properties of which a shorter span has too many series are left out too.
 */
export const mergeSpan = async (
  db: Database,
  { projectId, source, seconds }: MarkGroup,
  start: Instant,
): Promise<MeasuredSeries[]> => {
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
    let common: string | undefined
    for (const dimension of seriesDimensionsOf(subject)) {
      const by = dimension === UNSPLIT ? undefined : dimension
      const { parts, gaps } = await findParts(db, { projectId, subject, by, range })
      common ??= JSON.stringify(gaps)
      if (JSON.stringify(gaps) !== common) continue
      const rows = await rowsOf(db, projectId, subject, range, by, gaps)
      if (rows === undefined) break
      const sums = new SeriesSums()
      for (const { item } of [...parts, ...rows]) sums.add(item)
      measured.push({ subject, dimension, series: sums.items() })
    }
  }
  return measured
}

/** Measures the rows of gaps; undefined when there are too many. */
const rowsOf = async (
  db: Database,
  projectId: string,
  subject: keyof typeof SUBJECTS,
  range: Range,
  by: string | undefined,
  gaps: readonly Span[],
): Promise<Part[] | undefined> => {
  const kind = SUBJECTS[subject]
  const count = await countRows(db, projectId, kind, range, gaps, MAX_ROWS + 1)
  if (count === 0) return []
  if (count > MAX_ROWS) return undefined
  const key = by === undefined ? undefined : kind.dimensions[by]
  return measureRows(db, projectId, kind, range, key, gaps)
}
