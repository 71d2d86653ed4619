import type { Interval, ItemMean, Unit } from './observation.js'
import { checkRange } from './range.js'

/**
 * Returns the lowest and the highest possible difference of a unit, or null when nothing shows what a difference
 * can be.
 *
 * A range that is stated is believed. Otherwise a unit is taken to lose at most as much as another one won, and the
 * reverse; where no unit differs, as much as scores of these items lie apart. Scores of 0 and 1 alone differ by 1 there.
 */
export const possibleDifferences = (
  units: readonly Unit[],
  items: readonly ItemMean[],
  range: Interval | undefined,
): Interval | null => {
  let reach = 0
  if (range === undefined) {
    for (const { sum, size } of units) reach = Math.max(reach, Math.abs(sum / size))
    if (reach === 0) reach = spreadOf(items)
  } else {
    checkRange(range)
    for (const { values } of items)
      for (const value of values)
        if (value < range.low || value > range.high)
          throw new RangeError('range: an observation is outside')
    reach = range.high - range.low
  }
  return reach === 0 ? null : { low: -reach, high: reach }
}

const spreadOf = (items: readonly ItemMean[]): number => {
  if (isBinary(items)) return 1
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const { values } of items)
    for (const value of values) {
      low = Math.min(low, value)
      high = Math.max(high, value)
    }
  return high - low
}

/** Returns whether all values are 0 or 1. */
export const isBinary = (items: readonly ItemMean[]): boolean =>
  items.every(({ values }) => values.every((value) => value === 0 || value === 1))
