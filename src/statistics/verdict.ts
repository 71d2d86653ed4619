import { fewestUnits } from './halves.js'
import type { Interval } from './observation.js'

/**
 * - `better`: the interval of the difference is on the good side of 0.
 * - `not worse`: it is on the good side of the margin.
 * - `worse`: it is on the bad side of 0, and not wholly within the margin.
 * - `cannot tell`: it contains 0, and reaches beyond the margin.
 */
export type Verdict = 'better' | 'not worse' | 'worse' | 'cannot tell'

/** An estimate with its interval, positive where the candidate is better. */
interface Finding {
  estimate: number
  interval: Interval | null
  /** The test of no difference rejects it; then the interval may touch 0. */
  isDifferent: boolean
  margin: number
}

export const verdictOf = ({ estimate, interval, isDifferent, margin }: Finding): Verdict => {
  if (isDifferent && estimate > 0) return 'better'
  if (interval !== null && margin > 0 && interval.low > -margin) return 'not worse'
  return isDifferent && estimate < 0 ? 'worse' : 'cannot tell'
}

// (1.96 + 0.84) / 1.96: as many items as show a difference four times out of five.
const FOUR_OF_FIVE = 1.43
const MOST_TIMES = 100

/**
 * Returns about how many more items decide, if they are as the ones before; null when that can't be said, or is more
 * than a hundred times their number. As rough as the estimate is.
 */
export const moreItemsOf = (
  { estimate, interval, margin }: Finding,
  { items, units, alpha }: { items: number; units: number; alpha: number },
): number | null => {
  if (items === 0) return null
  if (interval === null) {
    const missing = fewestUnits(alpha) - units
    return missing > 0 ? Math.ceil((missing * items) / units) : null
  }
  const times = (width: number, distance: number) =>
    distance > 0 ? ((FOUR_OF_FIVE * width) / distance) ** 2 : Number.POSITIVE_INFINITY
  const least = Math.min(
    times(estimate - interval.low, estimate + margin),
    times(interval.high - estimate, -estimate),
  )
  return least > MOST_TIMES ? null : Math.max(1, Math.ceil(items * (least - 1)))
}

/** Says in a sentence what the verdict rests on; the numbers as they were compared, candidate minus base. */
export const reasonOf = ({
  verdict,
  interval,
  confidence,
  margin,
  higherIsBetter,
  items,
  units,
  alpha,
  isTooLarge,
}: {
  verdict: Verdict
  interval: Interval | null
  confidence: number
  margin: number
  higherIsBetter: boolean
  items: number
  units: number
  alpha: number
  isTooLarge: boolean
}): string => {
  if (items === 0) return 'No item has a score in both runs.'
  if (isTooLarge) return 'Scores beyond ±1e140 are too large to be added up.'
  if (units < fewestUnits(alpha))
    return `There are ${units} independent groups or items; fewer than ${fewestUnits(alpha)} can't show a difference.`
  if (interval === null) return 'All scores are equal, and their range is not known.'
  const between = `The difference lies between ${shown(interval.low)} and ${shown(interval.high)} (${shown(confidence * 100)} %)`
  const limit = shown(higherIsBetter ? -margin : margin)
  if (verdict === 'not worse') return `${between}, within the margin of ${limit}.`
  if (verdict !== 'cannot tell')
    return `${between}, ${(verdict === 'better') === higherIsBetter ? 'above' : 'below'} 0.`
  return margin > 0
    ? `${between}, on both sides of 0, and beyond the margin of ${limit}.`
    : `${between}, on both sides of 0.`
}

const shown = (value: number): string => {
  const text = String(Number(value.toPrecision(3)))
  return text.startsWith('-') ? `−${text.slice(1)}` : text
}
