import type { Instant } from '../../kernel/instant.js'
import type { Range } from '../../storage/metrics.js'
import type { Mark } from '../../storage/rollups/marks.js'
import type { RolledSpan } from '../../storage/rollups/read.js'
import { after, type Span, spanStart } from '../../storage/rollups/spans.js'

/** Returns the number of the bucket that a span lies in; undefined when it does not lie in one of the range. */
export const bucketOf = (start: Instant, seconds: number, range: Range): number | undefined => {
  if (start < range.from || after(start, seconds) > range.to) return undefined
  const length = seconds * 1_000_000
  // The last microsecond: rows have none in between.
  const first = bucketOfStart(start, range)
  return first === bucketAt(microsecondsBetween(range.from, start) + length - 1, range)
    ? first
    : undefined
}

/** Returns the number of the bucket that a moment of a range is in. */
export const bucketOfStart = (start: Instant, range: Range): number =>
  bucketAt(microsecondsBetween(range.from, start), range)

/** The same division as in the statements that measure rows. */
const bucketAt = (microseconds: number, { bucketSeconds }: Range) =>
  Math.floor(microseconds / 1e6 / bucketSeconds)

const microsecondsBetween = (from: Instant, to: Instant) =>
  (Date.parse(to) - Date.parse(from)) * 1000 + digitsOf(to) - digitsOf(from)

/** The microseconds of an instant past its milliseconds. */
const digitsOf = (instant: Instant) => Number(instant.slice(23, 26))

/** Returns those of some measured spans that nothing has changed since. */
export const cleanOf = <Item>(
  spans: readonly RolledSpan<Item>[],
  seconds: number,
  marks: readonly Mark[],
): RolledSpan<Item>[] => {
  const marked = new Set<Instant>()
  for (const { seconds: length, start } of marks)
    if (length <= seconds) marked.add(spanStart(start, seconds))
  return spans.filter(({ start }) => !marked.has(start))
}

/** Returns the parts of a range that some spans of it leave, in order. */
export const gapsOf = (
  { from, to }: Span,
  covered: readonly { start: Instant; seconds: number }[],
): Span[] => {
  const gaps: Span[] = []
  let reached = from
  for (const { start, seconds } of [...covered].sort((a, b) => (a.start < b.start ? -1 : 1))) {
    if (start > reached) gaps.push({ from: reached, to: start })
    reached = after(start, seconds)
  }
  if (reached < to) gaps.push({ from: reached, to })
  return gaps
}
