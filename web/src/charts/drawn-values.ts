import type { Line } from './chart-props.js'

type Value = number | null

/** What is drawn of lines: as they are, or on one another; a gap where a scale has no place for a value. */
export const drawnValues = (
  lines: readonly Line[],
  { isStacked, isLog }: { isStacked: boolean; isLog: boolean },
): Value[][] =>
  lines.map(({ values }, index) =>
    isStacked
      ? sumsOf(lines.slice(index))
      : values.map((value) => (isLog && value !== null && value <= 0 ? null : value)),
  )

/** What lines come to together, in each bucket: what is drawn later stands before it, and leaves the first one's part. */
const sumsOf = (lines: readonly Line[]): Value[] =>
  (lines[0]?.values ?? []).map((_, bucket) => {
    const known = lines.flatMap(({ values }) => values[bucket] ?? [])
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
  })
