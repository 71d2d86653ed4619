import { studentQuantile } from './numbers/student.js'

/** A comparison that is not run yet. */
export interface Plan {
  /**
   * The standard deviation of the items' differences, as an earlier comparison found it (`deviation`). For scores of 0 and 1 it
   * is at most the root of the share of items that flip: 0.45 when one in five does.
   */
  deviation: number
  /** Number of items in a group. Default: 1. */
  groupSize?: number
  /** The correlation of differences within a group, from 0 to 1. Default: 1, the worst case. */
  correlation?: number
  /** Number of scores that are shown together. Default: 1. */
  scores?: number
  /** Default: 0.95. */
  confidence?: number
  /** The share of comparisons that show a difference of that size. Default: 0.8. */
  power?: number
}

/**
 * Returns the smallest true difference that a comparison of so many items shows in four of five cases; the smallest
 * margin too, within which it shows two equal runs to be. Infinity for fewer than two groups.
 *
 * Sources: Miller, "Adding error bars to evals" (2024), arXiv 2411.00640; Kish, "Survey Sampling" (1965), for groups.
 *
 * @throws RangeError when a number is out of its range.
 */
export const smallestEffect = ({ items, ...plan }: Plan & { items: number }): number => {
  const { deviation, groupSize = 1, correlation = 1, scores = 1 } = plan
  const { confidence = 0.95, power = 0.8 } = plan
  check({ items, deviation, groupSize, correlation, scores, confidence, power })
  const degrees = items / groupSize - 1
  if (degrees < 1) return Number.POSITIVE_INFINITY
  const error = deviation * Math.sqrt((1 + (groupSize - 1) * correlation) / items)
  return (
    error *
    (studentQuantile((1 - confidence) / (2 * scores), degrees) +
      studentQuantile(1 - power, degrees))
  )
}

/**
 * Returns the number of items with which {@link smallestEffect} is at most `effect`: a difference, or a margin. Infinity where
 * it is beyond 1.8e308.
 *
 * @throws RangeError when a number is out of its range.
 */
export const itemsFor = ({ effect, ...plan }: Plan & { effect: number }): number => {
  if (!(effect > 0)) throw new RangeError('effect: expected a number above 0')
  const shows = (items: number) => smallestEffect({ ...plan, items }) <= effect
  let high = 2 * (plan.groupSize ?? 1)
  while (!shows(high)) high *= 2
  let low = Math.floor(high / 2)
  while (high - low > 1) {
    const middle = Math.floor(low + (high - low) / 2)
    // Beyond 2^53 there is no whole number between neighbours.
    if (middle <= low || middle >= high) break
    if (shows(middle)) high = middle
    else low = middle
  }
  return high
}

const check = (numbers: Required<Plan> & { items: number }): void => {
  const isValid: Record<keyof typeof numbers, boolean> = {
    items: numbers.items >= 1,
    deviation: numbers.deviation >= 0 && numbers.deviation < Number.POSITIVE_INFINITY,
    groupSize: numbers.groupSize >= 1 && numbers.groupSize < Number.POSITIVE_INFINITY,
    correlation: numbers.correlation >= 0 && numbers.correlation <= 1,
    scores: numbers.scores >= 1 && numbers.scores < Number.POSITIVE_INFINITY,
    confidence: numbers.confidence > 0 && numbers.confidence < 1,
    power: numbers.power >= 0.5 && numbers.power < 1,
  }
  for (const [name, isOfRange] of Object.entries(isValid))
    if (!isOfRange) throw new RangeError(`${name}: out of range`)
}
