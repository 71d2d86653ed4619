import { type Comparison, compare } from '../compare.js'
import { type Interval, meanOf, type Observation } from '../observation.js'
import { pairItems } from '../pairing.js'
import { checkRange, isTooLarge } from '../range.js'
import type { Verdict } from '../verdict.js'
import { Bets, rangeGame, signGame } from './bets.js'
import { confidenceSequence } from './confidence-sequence.js'

export interface SequentialOptions {
  /** Default: 0.95. */
  confidence?: number
  /** The loss that is accepted, in the score's unit, 0 or more. Default: 0. */
  margin?: number
  /** Default: true. */
  higherIsBetter?: boolean
  /**
   * The lowest and the highest possible score. Stated, the verdict holds against large differences that are too rare to
   * be seen early, and takes longer. A margin and the interval need it. Default: 0 and 1 for these two, and none for
   * `better` and `worse`.
   */
  range?: Interval
  /**
   * The number of items there will be, known before the first one: half of the risk is for looking early, and the
   * rest for `compare` once all are there. It finds nearly what `compare` alone would. Default: open, looked at without end.
   */
  items?: number
  /** The difference that matters, in the score's unit: one of this size is found soonest. Default: the margin, or a tenth of the range. */
  effect?: number
  /** Number of items in the largest group. Default: 1. */
  groupSize?: number
}

/** A comparison that may be looked at after each item, and ended at any moment. */
export interface SequentialDecision {
  /**
   * Adds an item with all its repetitions, or a whole group. A group is one unit: a part of it says what the rest will say,
   * so it can't be looked at before the rest is there. A score beyond ±1e140 can't be added up: nothing is decided from there on. Of unequal numbers of repetitions, the first ones count, as in `compare`.
   *
   * @throws RangeError when a value is outside of `range`, an item has no score in one of the runs, the items are of two
   * groups, or were there before.
   */
  observe(unit: { base: readonly Observation[]; candidate: readonly Observation[] }): Verdict
  /** The verdict so far. One that was reached stays, but `not worse` may become `better`. */
  readonly verdict: Verdict
  /** Number of items so far. */
  readonly items: number
  /** Number of groups so far; an item without a group is one. */
  readonly groups: number
  /** Candidate minus base, so far; NaN before the first item, and from a score beyond ±1e140 on. */
  readonly difference: number
  /**
   * The true difference is in all of these intervals at once, by the confidence. Null when a value is outside of 0 to 1 and
   * no range was stated. Computed when read, in time that grows with the groups.
   */
  readonly interval: Interval | null
}

/**
 * Begins a comparison that is decided as early as it can be. However often one looks, a false verdict has a chance of at
 * most 1 − confidence. The sooner it ends, the larger the difference is beside `effect`; one that is smaller may need more items
 * than `compare` would. Equal runs never end it, except with a margin.
 *
 * Sources: as {@link Bets}, {@link rangeGame} and {@link signGame} name them.
 *
 * @throws RangeError when an option is out of its range.
 */
export const createSequentialDecision = (options: SequentialOptions = {}): SequentialDecision => {
  const { confidence, margin, sign, stated, range, reach, gain, planned, groupSize } =
    settle(options)
  const risk = 1 - confidence
  // Half of it for each direction.
  const needed = Math.log(2 / (planned === undefined ? risk : risk * EARLY_SHARE))
  const fromZero = () =>
    new Bets(stated === undefined ? signGame(gain) : rangeGame(0, -reach), gain)
  const bets = {
    better: fromZero(),
    worse: fromZero(),
    notWorse: new Bets(rangeGame(-margin, -reach), gain),
  }
  const history: { mean: number; weight: number }[] = []
  const seen = new Set<string>()
  const all = { base: [] as Observation[], candidate: [] as Observation[] }
  let last: Comparison | undefined
  let verdict: Verdict = 'cannot tell'
  let isInside = true
  let isBeyond = false
  let items = 0
  let sum = 0
  const reached = (): Verdict => {
    if (bets.better.highest >= needed) return 'better'
    if (margin > 0 && bets.notWorse.highest >= needed) return 'not worse'
    return bets.worse.highest >= needed ? 'worse' : (last?.verdict ?? 'cannot tell')
  }
  return {
    observe: ({ base, candidate }) => {
      const { mean, size, unit } = unitMean(base, candidate)
      const areInside = [...base, ...candidate].every(
        ({ value }) => value >= range.low && value <= range.high,
      )
      if (!areInside && (stated !== undefined || margin > 0))
        throw new RangeError('range: an observation is outside')
      if (seen.has(unit)) throw new RangeError('unit: expected items or a group not seen before')
      if (size > groupSize) throw new RangeError('unit: expected at most groupSize items')
      if (planned !== undefined && items + size > planned)
        throw new RangeError('unit: expected no more items than planned')
      isInside &&= areInside
      isBeyond ||= [...base, ...candidate].some(({ value }) => isTooLarge(value))
      seen.add(unit)
      const weight = size / groupSize
      history.push({ mean: sign * mean, weight })
      items += size
      sum += size * mean
      if (!isBeyond) {
        bets.better.observe(sign * mean, weight)
        bets.worse.observe(-sign * mean, weight)
        bets.notWorse.observe(sign * mean, weight)
      }
      if (planned !== undefined) {
        for (const one of base) all.base.push(one)
        for (const one of candidate) all.candidate.push(one)
        if (items === planned)
          last = compare(all.base, all.candidate, {
            confidence: 1 - risk * (1 - EARLY_SHARE),
            margin,
            higherIsBetter: sign === 1,
            ...(stated === undefined ? {} : { range: stated }),
          })
      }
      if (verdict === 'cannot tell') verdict = reached()
      else if (verdict === 'not worse' && reached() === 'better') verdict = 'better'
      return verdict
    },
    get verdict() {
      return verdict
    },
    get items() {
      return items
    },
    get groups() {
      return history.length
    },
    get difference() {
      return isBeyond ? Number.NaN : sum / items
    },
    get interval() {
      if (last?.interval) return last.interval
      if (!isInside) return null
      const found = confidenceSequence(history, { reach, gain, needed })
      const low = verdict === 'better' ? Math.max(0, found.low) : found.low
      const high = verdict === 'worse' ? Math.min(0, found.high) : found.high
      return sign === 1 ? { low, high } : { low: 0 - high, high: 0 - low }
    },
  }
}

/** The share of the risk for looking before all planned items are there. */
const EARLY_SHARE = 0.5

/** Fills in the defaults, and rejects options out of their range. */
const settle = ({
  confidence = 0.95,
  margin = 0,
  higherIsBetter = true,
  range: stated,
  items: planned,
  effect,
  groupSize = 1,
}: SequentialOptions) => {
  const range = stated ?? { low: 0, high: 1 }
  const reach = range.high - range.low
  const gain = effect ?? (margin > 0 ? margin : reach / 10)
  if (!(confidence > 0 && confidence < 1))
    throw new RangeError('confidence: expected a number between 0 and 1')
  checkRange(range)
  if (!(margin >= 0 && margin < reach))
    throw new RangeError('margin: expected 0 or more, within the range')
  if (!(gain > 0)) throw new RangeError('effect: expected a number above 0')
  if (!(groupSize >= 1)) throw new RangeError('groupSize: expected 1 or more')
  const sign = higherIsBetter ? 1 : -1
  return { confidence, margin, sign, stated, range, reach, gain, planned, groupSize } as const
}

/** Returns the mean difference of a unit's items, candidate minus base. */
const unitMean = (
  base: readonly Observation[],
  candidate: readonly Observation[],
): { mean: number; size: number; unit: string } => {
  const { both, missing } = pairItems(base, candidate)
  const [first] = both
  if (first === undefined || missing > 0)
    throw new RangeError('unit: expected the same items in both runs')
  if (both.some(({ unit }) => unit !== first.unit))
    throw new RangeError('unit: expected one item, or items of one group')
  const differences = both.map(({ difference }) => difference)
  return { mean: meanOf(differences), size: both.length, unit: first.unit }
}
