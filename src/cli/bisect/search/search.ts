import type { EvalItem } from '../../../evaluate/data/item.js'
import type { Comparison } from '../../../statistics/index.js'
import { differ } from './differ.js'
import { placesOf } from './places.js'
import type { Trials, VersionTrial } from './trials.js'

/** The place that a change has so surely that it is worth a proof. */
const SURE = 0.97
/** The place of a change that is no longer worth further repetitions. */
const DOUBTFUL = 0.8
/** The chance that the version which is named has no change. */
const RISK = 0.05
/** The items of one look at a version, as a share of all. */
const BATCH = 0.1
const LEAST_BATCH = 4
/** Proofs that are tried: each has half of the risk that is left. */
const MAX_PROOFS = 4

/** A version that can't be tested. */
export class SkippedVersion extends Error {
  readonly version: number
  constructor(version: number, why: string) {
    super(why)
    this.version = version
  }
}

/** The search has had as many trials as it may have. */
class OutOfTrials extends Error {}

export interface SearchOptions {
  /** Number of versions: the first is good, the last is bad. */
  versions: number
  /** The items by their groups, in the order in which they run. */
  units: readonly (readonly EvalItem[])[]
  /** Runs of each item at both versions of a comparison, at most. */
  repetitions: number
  /** Trials, at most. */
  maxTrials: number
  trials: Trials
  /** Runs trials that have no score yet. @throws SkippedVersion when a version can't be tested. */
  run: (wanted: readonly VersionTrial[]) => Promise<void>
  /** Called before each look, with the versions that the change may lie between. */
  onLook?: (look: { version: number; low: number; high: number }) => void
}

/** The end of a search. The change lies behind version `low`, and not behind `high`. */
export interface SearchResult {
  verdict: 'found' | 'no difference' | 'cannot tell'
  low: number
  high: number
  /** The comparison of the good and the bad end. */
  ends: Comparison | undefined
  /** The comparison of the versions `low` and `high`; undefined when there was none. */
  proof: Comparison | undefined
  skipped: readonly number[]
  /** True when it took all trials that it may. */
  isSpent: boolean
}

/**
 * Finds the version that changes a score between a good and a bad one. Looks where the change is as likely before as behind, a few items
 * at a time, until one place is nearly sure. Then compares the versions beside it on scores that the search has not seen:
 * only this test names a version, so its chance to be false is the whole search's.
 */
export const search = async (options: SearchOptions): Promise<SearchResult> => {
  const { versions, units, repetitions, maxTrials, trials, onLook } = options
  const items = units.flat()
  const bad = versions - 1
  const skipped = new Set<number>()
  const run = async (wanted: readonly VersionTrial[]) => {
    const fresh = wanted.filter((trial) => !trials.has(trial))
    if (trials.count + fresh.length > maxTrials) throw new OutOfTrials()
    await options.run(fresh)
  }
  let ends: Comparison | undefined
  const result = (
    verdict: SearchResult['verdict'],
    low: number,
    high: number,
    proof?: Comparison,
    isSpent = false,
  ): SearchResult => ({
    verdict,
    low,
    high,
    ends,
    proof,
    skipped: [...skipped].sort((a, b) => a - b),
    isSpent,
  })
  try {
    ends = await differ(
      { base: 0, candidate: bad, units, first: 1, repetitions, risk: RISK / 2 },
      trials,
      run,
    )
  } catch (error) {
    if (error instanceof OutOfTrials) return result('cannot tell', 0, bad, undefined, true)
    throw error
  }
  if (ends === undefined || ends.verdict === 'cannot tell') return result('no difference', 0, bad)
  if (versions === 2) return result('found', 0, bad, ends)
  const sign = ends.verdict === 'better' ? 1 : -1
  const open = (): number[] =>
    Array.from({ length: versions }, (_, version) => version).filter((one) => !skipped.has(one))
  let proofs = 0
  for (;;) {
    const tested = open()
    const places = placesOf(tested, items, trials, sign)
    const most = Math.max(...places)
    const place = places.indexOf(most)
    const [low, high] = rangeOf(tested, places)
    try {
      if (most >= SURE && proofs < MAX_PROOFS) {
        const [base = 0, candidate = bad] = [tested[place], tested[place + 1]]
        onLook?.({ version: candidate, low, high })
        proofs++
        const proof = await differ(
          {
            base,
            candidate,
            units,
            first: Math.max(trials.last(base), trials.last(candidate)) + 1,
            repetitions,
            risk: RISK * 2 ** -proofs,
            isWorthIt: () => (placesOf(tested, items, trials, sign)[place] ?? 0) >= DOUBTFUL,
          },
          trials,
          run,
        )
        if (proof?.verdict === ends.verdict)
          return result(candidate === base + 1 ? 'found' : 'cannot tell', base, candidate, proof)
        continue
      }
      if (proofs >= MAX_PROOFS) return result('cannot tell', low, high)
      const version = middleOf(tested, places)
      onLook?.({ version, low, high })
      await run(nextOf(version, bad, units, trials))
    } catch (error) {
      if (error instanceof OutOfTrials) return result('cannot tell', low, high, undefined, true)
      if (!(error instanceof SkippedVersion) || error.version === 0 || error.version === bad)
        throw error
      skipped.add(error.version)
      if (open().length === 2) return result('cannot tell', 0, bad)
    }
  }
}

/** Returns the version behind and up to which the change lies with nineteen chances of twenty, by the places' own account. */
const rangeOf = (
  tested: readonly number[],
  places: readonly number[],
): [low: number, high: number] => {
  const rest = (1 - 0.95) / 2
  let [from, to] = [0, places.length - 1]
  for (let sum = places[from] ?? 1; sum < rest; sum += places[from] ?? 1) from++
  for (let sum = places[to] ?? 1; sum < rest; sum += places[to] ?? 1) to--
  return [tested[from] as number, tested[to + 1] as number]
}

/** Returns the version that divides the chances most evenly: neither end, which are good and bad by definition. */
const middleOf = (tested: readonly number[], places: readonly number[]): number => {
  let sum = 0
  let best = 1
  let least = Number.POSITIVE_INFINITY
  for (const [index, place] of places.slice(0, -1).entries()) {
    sum += place
    if (Math.abs(sum - 0.5) < least) {
      least = Math.abs(sum - 0.5)
      best = index + 1
    }
  }
  return tested[best] as number
}

/** Returns the next items of a version, with those of both ends that are missing beside them. */
const nextOf = (
  version: number,
  bad: number,
  units: readonly (readonly EvalItem[])[],
  trials: Trials,
): VersionTrial[] => {
  const size = Math.max(LEAST_BATCH, Math.ceil(units.flat().length * BATCH))
  const wanted: VersionTrial[] = []
  for (let repetition = 1; wanted.length < size; repetition++)
    for (const unit of units) {
      const own = unit.map((item) => ({ version, item, repetition }))
      if (own.every((trial) => trials.has(trial))) continue
      wanted.push(...own)
      if (wanted.length >= size) break
    }
  const ends = wanted.flatMap(({ item }) =>
    [0, bad].map((end) => ({ version: end, item, repetition: 1 })),
  )
  return [...wanted, ...ends]
}
