import { randomBits } from './numbers/random.js'
import type { Interval, Unit } from './observation.js'

/** Means of the units on the two sides of many splits, sorted: in each split the lower one, and the higher one. */
export interface Halves {
  lows: Float64Array
  highs: Float64Array
}

const MAX_ENUMERATED = 13
const RANDOM_SPLITS = 4999

/**
 * Splits units in two sides in every way, or from 14 units on in 4,999 random ones: the same ones for the same seed.
 *
 * A mean lies between the two sides of a split exactly when, with the signs of the differences from this mean flipped on
 * one side, their sum is as far from 0 as without. So the splits are the sign-flip test of every mean at once. The test
 * is exact at any size and for any distribution where base and candidate are exchangeable within a unit; elsewhere it
 * holds as units grow in number.
 *
 * Sources: Hartigan, "Using subsample values as typical values", JASA 64 (1969); Canay, Romano and Shaikh, "Randomization
 * tests under an approximate symmetry assumption", Econometrica 85 (2017), for groups; Hemerik and Goeman, "Exact testing
 * with random permutations", TEST 27 (2018), for random splits.
 */
export const halvesOf = (units: readonly Unit[], seed: number): Halves => {
  const isEnumerated = units.length <= MAX_ENUMERATED
  const count = isEnumerated ? 2 ** (units.length - 1) - 1 : RANDOM_SPLITS
  const lows = new Float64Array(count)
  const highs = new Float64Array(count)
  const sums = blockTotals(units.map(({ sum }) => sum))
  const sizes = blockTotals(units.map(({ size }) => size))
  const blocks = sums.length >>> BLOCK
  const total = units.reduce((all, { sum }) => all + sum, 0)
  const items = units.reduce((all, { size }) => all + size, 0)
  // Rounding must not move a mean across 0.
  const tiny = units.reduce((all, { sum }) => all + Math.abs(sum), 0) * 1e-13
  const next = randomBits(seed)
  for (let split = 0; split < count; split++) {
    let sum = 0
    let size = 0
    while (size === 0 || size === items) {
      sum = 0
      size = 0
      let bits = split + 1
      for (let block = 0; block < blocks; block++) {
        if (!isEnumerated && (block & 3) === 0) bits = next()
        const at = (block << BLOCK) | (bits & 255)
        sum += sums[at] ?? 0
        size += sizes[at] ?? 0
        bits >>>= BLOCK
      }
    }
    const one = Math.abs(sum) <= tiny ? 0 : sum / size
    const other = Math.abs(total - sum) <= tiny ? 0 : (total - sum) / (items - size)
    lows[split] = Math.min(one, other)
    highs[split] = Math.max(one, other)
  }
  return { lows: lows.sort(), highs: highs.sort() }
}

const BLOCK = 8

/** Adds up each subset of each eight values: a split then takes an eighth of the time. */
const blockTotals = (values: readonly number[]): Float64Array => {
  const totals = new Float64Array(Math.ceil(values.length / BLOCK) << BLOCK)
  for (let at = 0; at < totals.length; at++) {
    const subset = at & 255
    if (subset === 0) continue
    const last = 31 - Math.clz32(subset)
    const value = values[(at >>> BLOCK) * BLOCK + last] ?? 0
    totals[at] = (totals[at ^ (1 << last)] ?? 0) + value
  }
  return totals
}

/**
 * Returns the two-sided p value of no difference. Splits with a side of exactly 0 count by half, as items that are equal
 * in both runs would otherwise speak for no difference twice.
 *
 * Source: Fagerland, Lydersen and Laake, "The McNemar test for binary matched-pairs data: mid-p and asymptotic are
 * better than exact conditional", BMC Medical Research Methodology 13 (2013).
 */
export const halvesP = ({ lows, highs }: Halves): number => {
  let apart = 0
  for (const low of lows) apart += low > 0 ? 1 : low === 0 ? 0.5 : 0
  let below = 0
  for (const high of highs) below += high < 0 ? 1 : high === 0 ? 0.5 : 0
  // The split with all units on one side has every mean between its sides.
  return 1 - Math.max(apart, below) / (lows.length + 1)
}

/** Returns the means whose p value is above `alpha`; null when there are too few units to exclude any. */
export const halvesInterval = ({ lows, highs }: Halves, alpha: number): Interval | null => {
  const most = alpha * (lows.length + 1) + 1e-9
  if (most < 1) return null
  let within = 1
  let low = Number.NaN
  for (let place = 0; within <= most; place++) {
    low = lows[place] ?? Number.NaN
    within += low === 0 ? 0.5 : 1
  }
  within = 1
  let high = Number.NaN
  for (let place = highs.length - 1; within <= most; place--) {
    high = highs[place] ?? Number.NaN
    within += high === 0 ? 0.5 : 1
  }
  return { low, high }
}

/** Returns the smallest number of units of which some result is significant at `alpha`. */
export const fewestUnits = (alpha: number): number => Math.ceil(1 - Math.log2(alpha) - 1e-9)
