import { type ItemMean, itemMeans, meanOf, type Observation } from './observation.js'

/** An item of both runs, with as many repetitions of the one as of the other. */
export interface ItemPair {
  item: string
  unit: string
  base: ItemMean
  candidate: ItemMean
  /** The candidate's mean minus the base's; 0 where they differ by rounding alone. */
  difference: number
}

/** The items of two runs, side by side. */
export interface Pairing {
  both: ItemPair[]
  /** Number of items with a score in one run alone. */
  missing: number
  /** Number of observations of the other items that one run has beyond the other's. */
  unused: number
}

/**
 * Pairs two runs by their items, and averages as many repetitions of an item as both runs have: the first ones. A mean of
 * ten repetitions varies less than a single one and is skewed in another way, so that equal runs would not be
 * exchangeable, which every test here rests on.
 *
 * @throws RangeError when a value is not finite, or an item is in two groups.
 */
export const pairItems = (
  base: readonly Observation[],
  candidate: readonly Observation[],
): Pairing => {
  const bases = itemMeans(base)
  const candidates = itemMeans(candidate)
  const both: ItemPair[] = []
  let unused = 0
  for (const one of bases.values()) {
    const other = candidates.get(one.item)
    if (other === undefined) continue
    if (other.unit !== one.unit) throw new RangeError('group: expected the same one for an item')
    const count = Math.min(one.values.length, other.values.length)
    unused += one.values.length + other.values.length - 2 * count
    const pair = { base: firstOf(one, count), candidate: firstOf(other, count) }
    both.push({ item: one.item, unit: one.unit, ...pair, difference: differenceOf(pair) })
  }
  return { both, missing: bases.size + candidates.size - 2 * both.length, unused }
}

const firstOf = (item: ItemMean, count: number): ItemMean => {
  if (item.values.length === count) return item
  const values = item.values.slice(0, count)
  return { ...item, values, mean: meanOf(values) }
}

/** The share of the larger value below which a difference is taken for rounding. */
const ROUNDING = 1e-9

const differenceOf = ({ base, candidate }: { base: ItemMean; candidate: ItemMean }): number => {
  const difference = candidate.mean - base.mean
  let largest = 0
  for (const value of base.values) largest = Math.max(largest, Math.abs(value))
  for (const value of candidate.values) largest = Math.max(largest, Math.abs(value))
  return Math.abs(difference) <= largest * ROUNDING ? 0 : difference
}
