import {
  MEASURES,
  type Measure,
  observationsOf,
  passAtK,
  passHatK,
  type Rate,
  scoreNamesOf,
} from '../../statistics/index.js'
import { scoresOf } from './observations.js'
import type { EvalResult } from './results.js'

/** A score over all results that have it. */
export interface EvalScoreSummary {
  readonly name: string
  /** The mean over items, of the means of their repetitions. */
  readonly mean: number
  /** Results that have the score. */
  readonly count: number
  /** The share of each category; null for numbers. */
  readonly shares: Readonly<Record<string, number>> | null
  /**
   * With repetitions of scores that are 0 or 1: how often all of k repetitions pass (`hat`), and at least one of them
   * (`at`), for each k from 1 on. Null otherwise.
   */
  readonly passes: readonly { k: number; hat: Rate; at: Rate }[] | null
}

/** A measure over all results that have it. */
export interface EvalMeasureSummary {
  readonly name: Measure
  /** The mean over items, of the means of their repetitions. */
  readonly mean: number
  /** Results that have the measure. */
  readonly count: number
}

/** Returns the duration, tokens and cost of the results that did not fail, and the share of those that did. */
export const measuresOf = (results: readonly EvalResult[]): EvalMeasureSummary[] =>
  MEASURES.flatMap((name) => {
    const observations = observationsOf(results, { measure: name }, () => undefined)
    return observations.length === 0
      ? []
      : [{ name, mean: meanOfItems(observations), count: observations.length }]
  })

/** Repetitions for which rates of passing are computed. */
const MAX_K = 16

/** Returns a summary of each score, in order of appearance. */
export const summariesOf = (
  results: readonly EvalResult[],
  groups: ReadonlyMap<string, string>,
  repetitions: number,
  confidence: number,
): EvalScoreSummary[] =>
  scoreNamesOf(results).map((name) => {
    const observations = scoresOf(results, name, groups)
    const isBinary = observations.every(({ value }) => value === 0 || value === 1)
    const ks = Array.from({ length: Math.min(MAX_K, repetitions) }, (_, index) => index + 1)
    return {
      name,
      mean: meanOfItems(observations),
      count: observations.length,
      shares: sharesOf(results, name),
      passes:
        repetitions > 1 && isBinary
          ? ks.map((k) => ({
              k,
              hat: passHatK(observations, k, { confidence }),
              at: passAtK(observations, k, { confidence }),
            }))
          : null,
    }
  })

const meanOfItems = (observations: readonly { item: string; value: number }[]): number => {
  const items = new Map<string, { sum: number; count: number }>()
  for (const { item, value } of observations) {
    const known = items.get(item) ?? { sum: 0, count: 0 }
    items.set(item, { sum: known.sum + value, count: known.count + 1 })
  }
  let sum = 0
  for (const one of items.values()) sum += one.sum / one.count
  return sum / items.size
}

const sharesOf = (results: readonly EvalResult[], name: string): Record<string, number> | null => {
  const counts = new Map<string, number>()
  for (const { scores } of results)
    for (const score of scores)
      if (score.name === name && score.label !== null)
        counts.set(score.label, (counts.get(score.label) ?? 0) + 1)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  return Object.fromEntries([...counts].map(([label, count]) => [label, count / total]))
}
