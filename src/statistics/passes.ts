import { type Interval, itemMeans, meanOf, type Observation, unitsOf } from './observation.js'
import { intervalOf } from './tilt.js'

/** A rate over items, with its interval. */
export interface Rate {
  /** From 0 to 1; NaN when no item has enough repetitions. */
  value: number
  /** Null below two groups. */
  interval: Interval | null
  /** Number of items with at least k repetitions. */
  items: number
  /** Number of items with fewer. They are left out. */
  missing: number
}

export interface RateOptions {
  /** A value from here on is a pass. Default: 1. */
  threshold?: number
  /** Default: 0.95. */
  confidence?: number
}

/**
 * Returns how often at least one of k repetitions of an item passes, without bias from n of them.
 *
 * Source: Chen et al., "Evaluating large language models trained on code" (2021), arXiv 2107.03374.
 *
 * @throws RangeError when k is not a whole number above 0.
 */
export const passAtK = (
  observations: readonly Observation[],
  k: number,
  options?: RateOptions,
): Rate => rate(observations, k, (passed, count) => 1 - allOf(count - passed, count, k), options)

/**
 * Returns how often all of k repetitions of an item pass (pass^k), without bias from n of them.
 *
 * Source: Yao et al., "τ-bench: a benchmark for tool-agent-user interaction in real-world domains" (2024), arXiv
 * 2406.12045.
 *
 * @throws RangeError when k is not a whole number above 0.
 */
export const passHatK = (
  observations: readonly Observation[],
  k: number,
  options?: RateOptions,
): Rate => rate(observations, k, (passed, count) => allOf(passed, count, k), options)

/** Returns the share of draws of k out of `count` that hold chosen ones alone. */
const allOf = (chosen: number, count: number, k: number): number => {
  let share = 1
  for (let draw = 0; draw < k; draw++) share *= Math.max(0, chosen - draw) / (count - draw)
  return share
}

const rate = (
  observations: readonly Observation[],
  k: number,
  rateOf: (passed: number, count: number) => number,
  { threshold = 1, confidence = 0.95 }: RateOptions = {},
): Rate => {
  if (!(Number.isSafeInteger(k) && k > 0))
    throw new RangeError('k: expected a whole number above 0')
  const all = [...itemMeans(observations).values()]
  const items = all.flatMap(({ unit, values }) =>
    values.length < k
      ? []
      : [
          {
            unit,
            mean: rateOf(values.filter((value) => value >= threshold).length, values.length),
          },
        ],
  )
  const units = unitsOf(items)
  return {
    value: meanOf(items.map(({ mean }) => mean)),
    interval: units.length < 2 ? null : intervalOf(units, { low: 0, high: 1 }, 1 - confidence),
    items: items.length,
    missing: all.length - items.length,
  }
}
