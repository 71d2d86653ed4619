import { studentQuantile } from './numbers/student.js'
import type { Interval } from './observation.js'

/** Two judgements of one thing. */
export interface JudgementPair {
  human: number
  judge: number
  /** Pairs of a group resemble one another, as the steps of one conversation do. None: each pair is its own. */
  group?: string | undefined
}

export interface AgreementOptions {
  /**
   * `none` for categories: a disagreement is one. `quadratic` for values on a scale: it weighs as much as the square of the
   * difference. Default: `none`.
   */
  weights?: 'none' | 'quadratic' | undefined
  /** Default: 0.95. */
  confidence?: number | undefined
}

/** The agreement of a judge with people. */
export interface Agreement {
  pairs: number
  /** Groups of pairs: as many as there are pairs when none were given. */
  groups: number
  /** Cohen's kappa: 1 for the same judgements, 0 for those of chance; null when everything got one and the same value. */
  kappa: number | null
  /** The interval of kappa; null below two groups, or without a kappa. */
  interval: Interval | null
  /** The share of pairs whose judgements are the same. */
  same: number
}

/**
 * Pairs by chance that are added for the interval: without them, few pairs that all agree would leave no doubt. As many
 * as an interval of a share adds successes and failures to be honest (Agresti and Coull, The American Statistician 52, 1998).
 */
const ADDED = 4
/** Values that are taken for categories. */
const MAX_CATEGORIES = 10

/**
 * Returns Cohen's kappa of pairs with an interval: large-sample standard error, by groups, of pairs with a few by chance among
 * them, and Student's t for the number of groups.
 *
 * Source: Cohen, Psychological Bulletin 70 (1968), for weights; Fleiss, Cohen and Everitt, Psychological Bulletin 72
 * (1969), for the standard error, here as the influence of each pair, whose sums over a group stand for it.
 *
 * @throws RangeError when a value is not finite, or the confidence not between 0 and 1.
 */
export const agreement = (
  pairs: readonly JudgementPair[],
  { weights = 'none', confidence = 0.95 }: AgreementOptions = {},
): Agreement => {
  if (!(confidence > 0 && confidence < 1))
    throw new RangeError('confidence: expected a number between 0 and 1')
  for (const { human, judge } of pairs)
    if (!(Number.isFinite(human) && Number.isFinite(judge)))
      throw new RangeError('human and judge of a pair: expected finite numbers')
  const groups = sumsByGroup(pairs)
  const same = pairs.filter(({ human, judge }) => human === judge).length / (pairs.length || 1)
  const counts = { pairs: pairs.length, groups: groups.size, same }
  const distance = distanceOf(pairs, weights)
  const plain = tableOf(
    pairs.map((pair) => ({ ...pair, weight: 1 })),
    distance,
  )
  if (plain === undefined) return { ...counts, kappa: null, interval: null }
  const { kappa } = plain
  if (groups.size < 2) return { ...counts, kappa, interval: null }
  const added = addedPairs(pairs)
  const smooth = tableOf([...pairs.map((pair) => ({ ...pair, weight: 1 })), ...added], distance)
  if (smooth === undefined) return { ...counts, kappa, interval: null }
  let squares = 0
  for (const sum of sumsByGroup(pairs, smooth.influence).values()) squares += sum * sum
  for (const { human, judge, weight } of added)
    squares += weight * smooth.influence(human, judge) ** 2
  const variance = (squares * groups.size) / (groups.size - 1)
  const error = Math.sqrt(variance) / (pairs.length + ADDED)
  const half = studentQuantile((1 - confidence) / 2, groups.size - 1) * error
  const interval = {
    low: Math.max(-1, Math.min(kappa, smooth.kappa - half)),
    high: Math.min(1, Math.max(kappa, smooth.kappa + half)),
  }
  return { ...counts, kappa, interval }
}

interface WeightedPair {
  human: number
  judge: number
  weight: number
}

/** Returns the kappa of weighted pairs, and the influence of a pair on it; undefined when all have one and the same value. */
const tableOf = (pairs: readonly WeightedPair[], distance: Distance) => {
  const people = new Map<number, number>()
  const judges = new Map<number, number>()
  let [total, different] = [0, 0]
  for (const { human, judge, weight } of pairs) {
    people.set(human, (people.get(human) ?? 0) + weight)
    judges.set(judge, (judges.get(judge) ?? 0) + weight)
    total += weight
    different += weight * distance(human, judge)
  }
  const toJudges = new Map(
    [...people.keys()].map((a) => [a, sumOver(judges, (b) => distance(a, b))]),
  )
  const toPeople = new Map(
    [...judges.keys()].map((b) => [b, sumOver(people, (a) => distance(a, b))]),
  )
  const byChance = sumOver(people, (a) => toJudges.get(a) ?? 0) / total
  if (!(byChance > 0)) return undefined
  const ratio = different / byChance
  const influence = (human: number, judge: number): number => {
    const margins = (toJudges.get(human) ?? 0) + (toPeople.get(judge) ?? 0)
    return (
      ratio * (margins / byChance - 2) - (total * distance(human, judge) - different) / byChance
    )
  }
  return { kappa: 1 - ratio, influence }
}

/** Returns pairs of all values with all others; of the lowest and the highest ones when there are many. */
const addedPairs = (pairs: readonly JudgementPair[]): WeightedPair[] => {
  const values = [...new Set(pairs.flatMap(({ human, judge }) => [human, judge]))]
  const few = values.length <= MAX_CATEGORIES ? values : [Math.min(...values), Math.max(...values)]
  const weight = ADDED / few.length ** 2
  return few.flatMap((human) => few.map((judge) => ({ human, judge, weight })))
}

type Distance = (one: number, other: number) => number

/** Differences are taken relative to the widest one, whose square could overflow. */
const distanceOf = (pairs: readonly JudgementPair[], weights: 'none' | 'quadratic'): Distance => {
  if (weights === 'none') return (one, other) => (one === other ? 0 : 1)
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { human, judge } of pairs) {
    low = Math.min(low, human, judge)
    high = Math.max(high, human, judge)
  }
  const width = high / 2 - low / 2
  return (one, other) => (width > 0 ? ((one / 2 - other / 2) / width) ** 2 : 0)
}

const sumOver = (weights: ReadonlyMap<number, number>, of: (value: number) => number): number => {
  let sum = 0
  for (const [value, weight] of weights) sum += weight * of(value)
  return sum
}

const sumsByGroup = (
  pairs: readonly JudgementPair[],
  of: Distance = () => 1,
): Map<string | number, number> => {
  const sums = new Map<string | number, number>()
  for (const [index, { human, judge, group = index }] of pairs.entries())
    sums.set(group, (sums.get(group) ?? 0) + of(human, judge))
  return sums
}
