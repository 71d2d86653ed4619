import type { Database } from '../../database/database.js'
import type { Range } from '../../storage/metrics.js'
import type { SeriesItem } from '../../storage/rollups/cells.js'
import { findMarks } from '../../storage/rollups/marks.js'
import { findRolled, type Rolled } from '../../storage/rollups/read.js'
import { UNSPLIT } from '../../storage/rollups/series.js'
import {
  LENGTHS,
  type MarkedSource,
  type RolledSubject,
  type Span,
} from '../../storage/rollups/spans.js'
import { bucketOf, cleanOf, gapsOf } from './cover.js'

/** Measured spans that are read for one answer. The rest of a range is read from its rows. */
const MAX_SPANS = 5000
const MAX_MARKS = 20_000

export interface Asked {
  projectId: string
  subject: RolledSubject
  by: string | undefined
  range: Range
  /** The one value of a property that rows have which match the range's condition. */
  only?: { dimension: string; value: string } | undefined
}

/** A series of a bucket: measured ahead, or from rows. */
export interface Part {
  bucket: number
  item: SeriesItem
  /** True for what is of the rest, whatever else is. */
  isRest?: boolean
}

/** Returns the property whose series answer a question. */
export const dimensionFor = ({ by, only }: Asked): string =>
  only?.dimension ?? (by === undefined || by === 'environment' ? UNSPLIT : by)

/**
 * Finds the series of clean spans that lie in the buckets of a range, the longest spans first, and the gaps that they leave.
 * `isCovered` is false when there is no such span.
 */
export const findParts = async (
  db: Database,
  asked: Asked,
): Promise<{ parts: Part[]; gaps: Span[]; isCovered: boolean }> => {
  const { projectId, subject, range, only } = asked
  const source = subject === 'threads' ? 'threads' : 'steps'
  const rolled = { projectId, subject, dimension: dimensionFor(asked), only: only?.value }
  const parts: Part[] = []
  const { gaps, isCovered } = await readCleanSpans<SeriesItem>(
    db,
    rolled,
    { source, lengths: LENGTHS },
    range,
    (series, bucket) => parts.push(...partsOf(series, bucket, asked)),
  )
  return { parts, gaps, isCovered }
}

/**
 * Reads the clean spans that lie in the buckets of a range, the longest ones first, and returns the gaps that they leave.
 * `isCovered` is false when there is no such span.
 */
export const readCleanSpans = async <Item>(
  db: Database,
  rolled: Rolled,
  { source, lengths }: { source: MarkedSource; lengths: readonly number[] },
  range: Range,
  take: (series: Item[], bucket: number) => void,
): Promise<{ gaps: Span[]; isCovered: boolean }> => {
  const covered: { start: string; seconds: number }[] = []
  let gaps: Span[] = [{ from: range.from, to: range.to }]
  const marks = await findMarks(db, rolled.projectId, source, range, MAX_MARKS)
  if (marks.length >= MAX_MARKS) return { gaps, isCovered: false }
  for (const seconds of lengths.toReversed()) {
    if (seconds > range.bucketSeconds) continue
    const found = await findRolled<Item>(db, rolled, seconds, gaps, MAX_SPANS - covered.length)
    for (const span of cleanOf(found, seconds, marks)) {
      const bucket = bucketOf(span.start, seconds, range)
      if (bucket === undefined) continue
      covered.push({ start: span.start, seconds })
      take(span.series, bucket)
    }
    gaps = gapsOf(range, covered)
    if (covered.length >= MAX_SPANS || gaps.length === 0) break
  }
  return { gaps, isCovered: covered.length > 0 }
}

/** Returns those of some series that a question asks for. */
export const partsOf = (
  series: readonly SeriesItem[],
  bucket: number,
  { by, range: { environment, excludeExperiments } }: Asked,
): Part[] =>
  series
    .filter(
      ([own]) =>
        (environment === null || own === environment) &&
        !(excludeExperiments && own === 'experiment'),
    )
    .map((item) => ({ bucket, item: item.with(1, keyOf(item, by)) as SeriesItem }))

/** Returns the key by which a series is told from others in an answer. */
const keyOf = ([environment, key]: SeriesItem, by: string | undefined): string | null => {
  if (by === undefined) return null
  return by === 'environment' ? environment : key
}
