import { compareRuns, type RunDifferences, scorersOf } from '../../statistics/index.js'
import type { VersionedScorer } from '../scoring/run-scorers.js'
import type { Base } from './base.js'
import type { EvalResult } from './results.js'

/** The scores and the measures of a run beside those of another one; verdicts hold for all scores, or all measures, together. */
export interface RunComparison extends RunDifferences {
  /** The id of the experiment that it is compared with. */
  readonly baseId: string
  readonly baseName: string
}

const ADVICE = 'compareTo with rescore: true scores the stored outputs anew'

/** Compares the scores that both runs have, and what their results took. Refuses scores of scorers that have changed. */
export const compareWithBase = (
  { id, name, results: before }: Base,
  results: readonly EvalResult[],
  scorers: readonly VersionedScorer[],
  groups: ReadonlyMap<string, string>,
  confidence: number,
): RunComparison => {
  const [differences] = compareRuns(before, [results], {
    groupOf: (key) => groups.get(key),
    isHigherBetter: (score) => isHigherBetter(results, score, scorers),
    confidence,
  })
  const { scores = {}, measures = {}, refused = {} } = differences ?? {}
  const advised = Object.entries(refused).map(([score, reason]) => [
    score,
    reason.startsWith('its scorer') ? `${reason}: ${ADVICE}` : reason,
  ])
  return { baseId: id, baseName: name, scores, measures, refused: Object.fromEntries(advised) }
}

/** Returns true unless the scorer of a score says that lower is better. */
export const isHigherBetter = (
  results: readonly EvalResult[],
  name: string,
  scorers: readonly VersionedScorer[],
): boolean => {
  const [scorer = name] = scorersOf(results, name)
  const own = scorers.find((one) => `${one.name}@${one.version}` === scorer || one.name === name)
  return own?.better !== 'lower'
}
