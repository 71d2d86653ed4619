import { type CompareOptions, type Comparison, conclude, type Paired, pair } from './compare.js'
import type { Observation } from './observation.js'

/** The observations of one score in both runs; its own options come before those of all. */
export interface ScorePair extends Omit<CompareOptions, 'confidence'> {
  base: readonly Observation[]
  candidate: readonly Observation[]
}

/**
 * Compares several scores that are shown together. With 95 % confidence, all verdicts are right at once: of eight scores
 * without a difference, one is called better or worse in 5 of 100 comparisons, not in 34. P values are adjusted by Holm.
 * Intervals are divided evenly (Bonferroni), so that all of them are right at once too, and end at 0 where the adjusted p value
 * excludes it. With a margin, a false verdict against 0 and a false `not worse` of another score together may come to 7.5
 * of 100 at worst.
 *
 * Scores without an item in both runs are not counted.
 *
 * Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979).
 *
 * @throws RangeError as `compare` does.
 */
export const compareScores = <Name extends string>(
  scores: Readonly<Record<Name, ScorePair>>,
  options: CompareOptions = {},
): Record<Name, Comparison> => {
  const names = Object.keys(scores) as Name[]
  const pairs = new Map<Name, Paired>()
  for (const name of names) {
    const { base, candidate, ...own } = scores[name]
    pairs.set(name, pair(base, candidate, { ...options, ...own }))
  }
  const alpha = 1 - (options.confidence ?? 0.95)
  const counted = [...pairs].filter(([, { both }]) => both.length > 0)
  const decisions = holm(
    counted.map(([, { evidence }]) => evidence.p),
    alpha,
  )
  const byName = new Map(counted.map(([name], place) => [name, decisions[place]]))
  const concluded = [...pairs].map(([name, paired]): [Name, Comparison] => {
    const { p = 1, isRejected = false } = byName.get(name) ?? {}
    const share = alpha / Math.max(1, counted.length)
    return [name, conclude(paired, { alpha: share, isDifferent: isRejected, p })]
  })
  return Object.fromEntries(concluded) as Record<Name, Comparison>
}

/** Returns for each p value the one adjusted for all of them, and whether it is rejected at `alpha`; in their order. */
export const holm = (
  values: readonly number[],
  alpha: number,
): { p: number; isRejected: boolean }[] => {
  const places = values.map((_, place) => place)
  places.sort((a, b) => (values[a] ?? 1) - (values[b] ?? 1))
  const adjusted = values.map(() => 1)
  let highest = 0
  for (const [rank, place] of places.entries()) {
    highest = Math.max(highest, Math.min(1, (values[place] ?? 1) * (values.length - rank)))
    adjusted[place] = highest
  }
  return adjusted.map((p) => ({ p, isRejected: p <= alpha }))
}
