import type { Database } from '../../database/database.js'
import type { Range } from '../../storage/metrics.js'
import type { SeriesItem } from '../../storage/rollups/cells.js'
import { findMarks } from '../../storage/rollups/marks.js'
import { findRolled, type RolledSpan } from '../../storage/rollups/read.js'
import { LENGTHS, type RolledSubject, type Span } from '../../storage/rollups/spans.js'
import { UNSPLIT } from '../../storage/rollups/write.js'
import { bucketOf, cleanOf, gapsOf } from './cover.js'

/** Measured spans that are read for one answer. The rest of a range is read from its rows. */
const MAX_SPANS = 5000
const MAX_MARKS = 20_000

export interface Asked {
  projectId: string
  subject: RolledSubject
  by: string | undefined
  range: Range
}

/** A series of a bucket: measured ahead, or from rows. */
export interface Part {
  bucket: number
  item: SeriesItem
}

/** Finds the series of clean spans that lie in the buckets of a range, the longest spans first, and the gaps that they leave. */
export const findParts = async (
  db: Database,
  { projectId, subject, by, range }: Asked,
): Promise<{ parts: Part[]; gaps: Span[] }> => {
  const source = subject === 'threads' ? 'threads' : 'steps'
  const dimension = by === undefined || by === 'environment' ? UNSPLIT : by
  const parts: Part[] = []
  const covered: { start: string; seconds: number }[] = []
  let gaps: Span[] = [{ from: range.from, to: range.to }]
  const marks = await findMarks(db, projectId, source, range, MAX_MARKS)
  if (marks.length >= MAX_MARKS) return { parts, gaps }
  for (const seconds of LENGTHS.toReversed()) {
    if (seconds > range.bucketSeconds) continue
    const found = await findRolled(
      db,
      { projectId, subject, dimension },
      seconds,
      gaps,
      MAX_SPANS - covered.length,
    )
    for (const span of cleanOf(found, seconds, marks)) {
      const bucket = bucketOf(span.start, seconds, range)
      if (bucket === undefined) continue
      covered.push({ start: span.start, seconds })
      parts.push(...partsOf(span, bucket, by, range))
    }
    gaps = gapsOf(range, covered)
    if (covered.length >= MAX_SPANS || gaps.length === 0) break
  }
  return { parts, gaps }
}

const partsOf = (
  { series }: RolledSpan,
  bucket: number,
  by: string | undefined,
  { environment, excludeExperiments }: Range,
): Part[] =>
  series
    .filter(
      ([own]) =>
        (environment === null || own === environment) &&
        !(excludeExperiments && own === 'experiment'),
    )
    .map((item) => ({
      bucket,
      item: by === 'environment' ? (item.with(1, item[0]) as SeriesItem) : item,
    }))
