import type { Comparison } from '../compare.js'
import type { Interval } from '../observation.js'
import { compareScores, type ScorePair } from '../scores.js'
import { type Measure, measuresIn } from './measures.js'
import { observationsOf, type Quantity, scoreNamesOf } from './observations.js'
import type { RunResult } from './result.js'
import { refusalOf } from './scorer-versions.js'

/** A run beside the base. */
export interface RunDifferences {
  /** By the name of the score. */
  readonly scores: Readonly<Record<string, Comparison>>
  /** Duration, tokens, cost and errors, of which less is better; those that are 0 or not known everywhere are left out. */
  readonly measures: Readonly<Partial<Record<Measure, Comparison>>>
  /** Scores that are not compared, each with the reason. */
  readonly refused: Readonly<Record<string, string>>
}

/** The options of `compareRuns`. */
export interface CompareRunsOptions {
  /** Returns the group of an item; `undefined` when it is its own. */
  groupOf: (key: string) => string | undefined
  isHigherBetter: (score: string) => boolean
  /** Returns the loss of a score that is accepted. Default: 0. */
  marginOf?: (score: string) => number
  /** Returns the lowest and the highest possible value of a score. Default: not known. */
  rangeOf?: (score: string) => Interval | undefined
  /** Default: 0.95. */
  confidence?: number
}

/**
 * Compares runs with a base, by all their scores and measures. All scores of all runs share the false verdicts that are
 * allowed, and all measures share as many again: the price of an answer takes nothing from the verdict on its quality.
 * Refuses scores whose scorers have different versions.
 *
 * @throws RangeError as `compare` does.
 */
export const compareRuns = (
  base: readonly RunResult[],
  candidates: readonly (readonly RunResult[])[],
  {
    groupOf,
    isHigherBetter,
    marginOf = () => 0,
    rangeOf = () => undefined,
    confidence = 0.95,
  }: CompareRunsOptions,
): RunDifferences[] => {
  const pairOf = (candidate: readonly RunResult[], quantity: Quantity): ScorePair => ({
    base: observationsOf(base, quantity, groupOf),
    candidate: observationsOf(candidate, quantity, groupOf),
    ...('measure' in quantity
      ? { higherIsBetter: false }
      : {
          higherIsBetter: isHigherBetter(quantity.score),
          margin: marginOf(quantity.score),
          ...rangeIn(rangeOf(quantity.score)),
        }),
  })
  const refused = candidates.map((candidate) => {
    const reasons = scoreNamesOf(candidate).map((name) => [name, refusalOf(base, candidate, name)])
    return Object.fromEntries(reasons.filter(([, reason]) => reason !== undefined)) as Record<
      string,
      string
    >
  })
  const scores = together(
    candidates.map((candidate, place) =>
      scoreNamesOf(candidate)
        .filter((score) => !Object.hasOwn(refused[place] ?? {}, score))
        .map((score) => [score, pairOf(candidate, { score })] as const),
    ),
    confidence,
  )
  const known = measuresIn([base, ...candidates])
  const measures = together(
    candidates.map((candidate) =>
      known.map((measure) => [measure, pairOf(candidate, { measure })] as const),
    ),
    confidence,
  )
  return candidates.map((_, place) => ({
    scores: scores[place] ?? {},
    measures: Object.fromEntries(
      Object.entries(measures[place] ?? {}).filter(([, { items }]) => items > 0),
    ),
    refused: refused[place] ?? {},
  }))
}

const rangeIn = (range: Interval | undefined) => (range === undefined ? {} : { range })

/** Compares pairs of several runs as one family. */
const together = (
  runs: readonly (readonly (readonly [name: string, pair: ScorePair])[])[],
  confidence: number,
): Record<string, Comparison>[] => {
  const pairs: Record<string, ScorePair> = {}
  for (const [place, named] of runs.entries())
    for (const [name, pair] of named) pairs[`${place} ${name}`] = pair
  const compared = compareScores(pairs, { confidence })
  return runs.map((named, place) => {
    const own = named.flatMap(([name]) => {
      const comparison = compared[`${place} ${name}`]
      return comparison === undefined ? [] : [[name, comparison] as const]
    })
    return Object.fromEntries(own)
  })
}
