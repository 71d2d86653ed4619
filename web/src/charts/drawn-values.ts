import type { Line } from './chart-props.js'

type Value = number | null

/** Returns the drawn values of lines: as they are, or stacked; a gap where a scale has no place for a value. */
export const drawnValues = (
  lines: readonly Line[],
  { isStacked, isLog }: { isStacked: boolean; isLog: boolean },
): Value[][] =>
  lines.map(({ values }, index) =>
    isStacked
      ? sumsOf(lines.slice(index))
      : values.map((value) => (isLog && value !== null && value <= 0 ? null : value)),
  )

/** Sums lines in each bucket. Later lines are drawn in front, and leave the first one's part visible. */
const sumsOf = (lines: readonly Line[]): Value[] =>
  (lines[0]?.values ?? []).map((_, bucket) => {
    const known = lines.flatMap(({ values }) => values[bucket] ?? [])
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
  })

/** Fewer values than these prove little. */
const MIN_VALUES = 20

/** Returns a line in three parts: its stroke, its points of many values, and those of few, which are drawn hollow. */
export const strokeAndPoints = (
  values: readonly Value[],
  counts: readonly number[] | undefined,
  needsMany: boolean,
): { stroke: Value[]; firm: Value[]; hollow: Value[] } => {
  const isFew = (index: number) => (counts?.[index] ?? MIN_VALUES) < MIN_VALUES
  const keep = (isKept: (index: number) => boolean) =>
    values.map((value, index) => (isKept(index) ? value : null))
  const firm = keep((index) => !isFew(index))
  return { stroke: needsMany ? firm : [...values], firm, hollow: keep(isFew) }
}
