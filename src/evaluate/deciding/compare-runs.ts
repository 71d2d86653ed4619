import { type Comparison, compareScores, type ScorePair } from '../../statistics/index.js'
import type { VersionedScorer } from '../scoring/run-scorers.js'
import type { Base } from './base.js'
import { observationsOf, scoreNamesOf } from './observations.js'
import type { EvalResult } from './results.js'

/** The scores of a run beside those of another one. */
export interface RunComparison {
  /** The id of the experiment that it is compared with. */
  readonly baseId: string
  readonly baseName: string
  /** By the name of the score; verdicts hold for all of them together. */
  readonly scores: Readonly<Record<string, Comparison>>
  /** Scores that are not compared, each with the reason. */
  readonly refused: Readonly<Record<string, string>>
}

/** Compares the scores that both runs have. Refuses those whose scorers have different versions. */
export const compareRuns = (
  base: Base,
  results: readonly EvalResult[],
  scorers: readonly VersionedScorer[],
  groups: ReadonlyMap<string, string>,
  confidence: number,
): RunComparison => {
  const pairs: Record<string, ScorePair> = {}
  const refused: Record<string, string> = {}
  const known = new Set(scoreNamesOf(base.results))
  for (const name of scoreNamesOf(results)) {
    const reason = known.has(name)
      ? versionProblem(scorersOf(base.results, name), scorersOf(results, name))
      : 'the other run has no such score'
    if (reason !== undefined) refused[name] = reason
    else
      pairs[name] = {
        base: observationsOf(base.results, name, groups),
        candidate: observationsOf(results, name, groups),
        higherIsBetter: isHigherBetter(results, name, scorers),
      }
  }
  const { id, name } = base
  return { baseId: id, baseName: name, scores: compareScores(pairs, { confidence }), refused }
}

/** Returns the scorers, with their versions, from which a score comes. */
const scorersOf = (results: readonly EvalResult[], name: string): string[] => [
  ...new Set(
    results.flatMap(({ scores }) =>
      scores.flatMap((score) => (score.name === name && score.scorer !== null ? score.scorer : [])),
    ),
  ),
]

/** Returns why scores of two runs are not compared; `undefined` when they are. Unknown versions are no reason. */
const versionProblem = (
  base: readonly string[],
  candidate: readonly string[],
): string | undefined => {
  if (base.length === 0 || candidate.length === 0) return undefined
  if (base.length === 1 && candidate.length === 1 && base[0] === candidate[0]) return undefined
  return `its scorer changed (${base.join(', ')} before, ${candidate.join(', ')} now): compareTo with rescore: true scores the stored outputs anew`
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
