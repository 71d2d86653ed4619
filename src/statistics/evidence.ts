import { fewestUnits, halvesInterval, halvesOf, halvesP } from './halves.js'
import type { Interval, ItemMean, Unit } from './observation.js'
import { isTooLarge } from './range.js'
import { possibleDifferences } from './reach.js'
import { estimateOf, intervalOf, pOf } from './tilt.js'

/** The mean of paired differences, and the means that it is compatible with. */
export interface Evidence {
  estimate: number
  units: readonly Unit[]
  /** A score is too large to be compared: then there is no estimate and no interval. */
  isTooLarge: boolean
  /** The two-sided p value of no difference. */
  p: number
  /** The means that are not excluded at `alpha`; null when there are too few units to exclude any. */
  interval(alpha: number): Interval | null
}

/**
 * Asks two tests, and believes the one that excludes less: {@link halvesOf} always; {@link intervalOf} where differences
 * are rare or the scores' range is stated, as it knows of those that were too rare to be seen.
 */
export const evidenceOf = (
  units: readonly Unit[],
  items: readonly ItemMean[],
  { range, seed }: { range: Interval | undefined; seed: number },
): Evidence => {
  const possible = possibleDifferences(units, items, range)
  const isBeyond = items.some(({ values }) => values.some(isTooLarge))
  const estimate = units.length === 0 || isBeyond ? Number.NaN : estimateOf(units)
  if (units.length < 2 || possible === null || isBeyond)
    return { estimate, units, isTooLarge: isBeyond, p: 1, interval: () => null }
  const equal = units.filter(({ sum }) => sum === 0).length
  const isTilted = range !== undefined || equal * 2 >= units.length
  const halves = halvesOf(units, seed)
  return {
    estimate,
    units,
    isTooLarge: false,
    p: Math.max(estimate === 0 ? 1 : halvesP(halves), isTilted ? pOf(units, possible, 0) : 0),
    interval: (alpha) => {
      if (units.length < fewestUnits(alpha)) return null
      const interval = halvesInterval(halves, alpha)
      if (interval === null || !isTilted) return interval
      const tilted = intervalOf(units, possible, alpha)
      return {
        low: Math.min(interval.low, tilted.low),
        high: Math.max(interval.high, tilted.high),
      }
    },
  }
}
