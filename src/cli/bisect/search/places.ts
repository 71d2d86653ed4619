import type { EvalItem } from '../../../evaluate/data/item.js'
import type { Trials } from './trials.js'

/** The smallest deviation of a score, as a share of the change: a command without chance has none. */
const LEAST_DEVIATION = 0.02

/**
 * Returns for each version but the first how likely the change came with it, all together 1. They share one change: every score is that
 * of its item, of its side of the change, and chance. Items without a score on both sides say nothing.
 *
 * The change and the items' scores are those that fit best for each place (a profile likelihood). This leads the search and proves
 * nothing.
 */
export const placesOf = (
  versions: readonly number[],
  items: readonly EvalItem[],
  trials: Trials,
  sign: number,
): number[] => {
  // Sums of each item before the place in question, which moves one version at a time.
  const before = items.map(() => ({ sum: 0, count: 0 }))
  const all = items.map(({ key }) => {
    const total = { sum: 0, count: 0 }
    for (const version of versions) addTo(total, trials.sumOf(version, key))
    return total
  })
  const fits: { change: number; weight: number }[] = []
  for (const version of versions.slice(0, -1)) {
    const last = fits.at(-1)
    if (last !== undefined && trials.last(version) === 0) {
      fits.push(last)
      continue
    }
    let weight = 0
    let weighted = 0
    for (const [index, { key }] of items.entries()) {
      const good = before[index] as Sum
      addTo(good, trials.sumOf(version, key))
      const total = all[index] as Sum
      const bad = { sum: total.sum - good.sum, count: total.count - good.count }
      if (good.count === 0 || bad.count === 0) continue
      const own = (good.count * bad.count) / total.count
      weight += own
      weighted += own * (bad.sum / bad.count - good.sum / good.count)
    }
    fits.push({ change: weight === 0 ? 0 : weighted / weight, weight })
  }
  const gains = fits.map(({ change, weight }) => (sign * change > 0 ? weight * change ** 2 : 0))
  const best = Math.max(...gains)
  const place = gains.indexOf(best)
  const variance = Math.max(
    varianceAround(versions, items, trials, best),
    (LEAST_DEVIATION * (fits[place]?.change ?? 0)) ** 2,
    Number.MIN_VALUE,
  )
  const weights = gains.map((gain) => Math.exp((gain - best) / (2 * variance)))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

interface Sum {
  sum: number
  count: number
}

const addTo = (total: Sum, { sum, count }: Sum): void => {
  total.sum += sum
  total.count += count
}

/** Returns the variance of scores around their items and the change that explains `gain` of their squares. */
const varianceAround = (
  versions: readonly number[],
  items: readonly EvalItem[],
  trials: Trials,
  gain: number,
): number => {
  let squares = 0
  let free = -1
  for (const { key } of items) {
    const own = versions.flatMap((version) => trials.valuesOf(version, key))
    if (own.length === 0) continue
    const mean = own.reduce((sum, value) => sum + value, 0) / own.length
    for (const value of own) squares += (value - mean) ** 2
    free += own.length - 1
  }
  return free < 1 ? 0 : Math.max(0, squares - gain) / free
}
