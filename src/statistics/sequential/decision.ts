import { type CompareOptions, type Comparison, conclude, type Paired, pair } from '../compare.js'
import { normalAbove } from '../numbers/student.js'
import type { Interval, Observation, Unit } from '../observation.js'
import { pairItems } from '../pairing.js'
import { checkRange } from '../range.js'
import type { Verdict } from '../verdict.js'
import { boundariesOf, LOOKS } from './boundaries.js'

export interface SequentialOptions extends CompareOptions {
  /** The number of items there will be, known before the first one. */
  items: number
}

/** A comparison that is looked at while its items come, up to twenty times, and ended as soon as a look decides. */
export interface SequentialDecision {
  /**
   * Adds an item with all its repetitions, or a whole group: a part of it says what the rest will say. Of unequal numbers of
   * repetitions, the first ones count, as in `compare`. Units come in an order that does not depend on their scores.
   * Nothing is added once it is over.
   *
   * @throws RangeError when the items of the runs differ, are of two groups, or were there before; when a value is
   * outside of `range`; when there are more items than planned.
   */
  observe(unit: { base: readonly Observation[]; candidate: readonly Observation[] }): Verdict
  /** Takes the last look, when fewer items came than planned. */
  end(): Verdict
  /** `cannot tell` until it is over, and then when the items do not or would hardly decide. */
  readonly verdict: Verdict
  /** Nothing that comes changes the verdict. */
  readonly isOver: boolean
  /** Number of items so far. */
  readonly items: number
  /** Number of items from which on it looks again. */
  readonly nextLook: number
  /** The last look: its interval is as wide as looking so often asks for. Undefined before the first one. */
  readonly comparison: Comparison | undefined
}

/** Claims, each tested by itself; one that is given up stays so, which the limits allow for. */
type Claim = Exclude<Verdict, 'cannot tell'>

/**
 * Begins a comparison that ends as soon as it can: with a verdict, or when the rest of the items would hardly bring one. A
 * false verdict has a chance of at most 1 − confidence, all looks together. It finds about nine of ten differences that
 * `compare` finds with all items.
 *
 * Each look compares the units so far as `compare` does, at a level of its own: a group-sequential test whose limits are
 * {@link boundariesOf}. Those are exact for sums of many units; every single look holds for any number.
 *
 * @throws RangeError when an option is out of its range.
 */
export const createSequentialDecision = (options: SequentialOptions): SequentialDecision => {
  const { items: planned, confidence = 0.95, margin = 0, range } = options
  if (!(planned >= 1)) throw new RangeError('items: expected 1 or more')
  if (range !== undefined) checkRange(range)
  // Rejects the options that are wrong, before the first item.
  pair([], [], options)
  const boundaries = boundariesOf(confidence)
  const open = new Set<Claim>(margin > 0 ? ['better', 'not worse', 'worse'] : ['better', 'worse'])
  const base: Observation[] = []
  const candidate: Observation[] = []
  const seen = new Set<string>()
  let items = 0
  let nextLook = Math.ceil(planned / LOOKS)
  let verdict: Verdict = 'cannot tell'
  let isOver = false
  let comparison: Comparison | undefined
  const look = (time: number): void => {
    const paired = pair(base, candidate, options)
    const level = levelAt(boundaries.upper(time), time)
    const isDifferent = paired.evidence.p <= level
    const found = conclude(paired, { alpha: level, isDifferent, p: paired.evidence.p })
    const isClaimed = found.verdict !== 'cannot tell' && open.has(found.verdict)
    verdict = isClaimed ? found.verdict : 'cannot tell'
    comparison = isClaimed ? found : { ...found, verdict }
    if (!isClaimed) giveUp(open, paired, boundaries.lower(time), time)
    isOver = isClaimed || open.size === 0 || time >= 1
    nextLook = (Math.floor((items / planned) * LOOKS + ROUNDING) + 1) * (planned / LOOKS)
  }
  return {
    observe: (unit) => {
      if (isOver) return verdict
      const { name, size } = checkUnit(unit)
      if (seen.has(name)) throw new RangeError('unit: expected items or a group not seen before')
      if (items + size > planned) throw new RangeError('unit: expected no more items than planned')
      checkValues(unit, range)
      seen.add(name)
      for (const one of unit.base) base.push(one)
      for (const one of unit.candidate) candidate.push(one)
      items += size
      if (items + ROUNDING >= nextLook) look(items / planned)
      return verdict
    },
    end: () => {
      if (!isOver && items > 0) look(1)
      isOver = true
      return verdict
    },
    get verdict() {
      return verdict
    },
    get isOver() {
      return isOver
    },
    get items() {
      return items
    },
    get nextLook() {
      return nextLook
    },
    get comparison() {
      return comparison
    },
  }
}

const ROUNDING = 1e-9

/** Returns the two-sided level of a look, by the limit of the walk. */
const levelAt = (limit: number, time: number): number =>
  Math.min(1, 2 * normalAbove(limit / Math.sqrt(time)))

/** Closes the claims that are farther from being shown than the lower limit of the walk allows. */
const giveUp = (
  open: Set<Claim>,
  { evidence, margin }: Paired,
  limit: number,
  time: number,
): void => {
  const least = limit / Math.sqrt(time)
  const fromZero = distanceOf(evidence.units, 0)
  if (fromZero < least) open.delete('better')
  if (-fromZero < least) open.delete('worse')
  if (distanceOf(evidence.units, -margin) < least) open.delete('not worse')
}

/** Returns how many deviations the sum of the units is above the one that it would have with a mean. */
const distanceOf = (units: readonly Unit[], mean: number): number => {
  let sum = 0
  let squares = 0
  for (const unit of units) {
    const away = unit.sum - mean * unit.size
    sum += away
    squares += away * away
  }
  return squares === 0 ? 0 : sum / Math.sqrt(squares)
}

/** Checks the items of a unit. Returns its name and their number. */
const checkUnit = ({
  base,
  candidate,
}: {
  base: readonly Observation[]
  candidate: readonly Observation[]
}): { name: string; size: number } => {
  const { both, missing } = pairItems(base, candidate)
  const [first] = both
  if (first === undefined || missing > 0)
    throw new RangeError('unit: expected the same items in both runs')
  if (both.some(({ unit }) => unit !== first.unit))
    throw new RangeError('unit: expected one item, or items of one group')
  return { name: first.unit, size: both.length }
}

const checkValues = (
  { base, candidate }: { base: readonly Observation[]; candidate: readonly Observation[] },
  range: Interval | undefined,
): void => {
  if (range === undefined) return
  for (const { value } of [...base, ...candidate])
    if (value < range.low || value > range.high)
      throw new RangeError('range: an observation is outside')
}
