import type { Observation } from '../observation.js'
import { type Measure, measureOf } from './measures.js'
import type { RunResult } from './result.js'

/** A score by its name, or a measure. */
export type Quantity = { readonly score: string } | { readonly measure: Measure }

/** Returns the names of all scores, in order of appearance. */
export const scoreNamesOf = (results: readonly RunResult[]): string[] => {
  const names = new Set<string>()
  for (const { scores } of results) for (const { name } of scores) names.add(name)
  return [...names]
}

/** Returns a quantity of a result; `undefined` when it has none. */
const amountOf = (result: RunResult, quantity: Quantity): number | undefined =>
  'measure' in quantity
    ? measureOf(result, quantity.measure)
    : result.scores.find(({ name }) => name === quantity.score)?.value

/**
 * Returns the observations of a score or a measure, in the order of repetitions: results come as they end, quick failures
 * first.
 */
export const observationsOf = (
  results: readonly RunResult[],
  quantity: Quantity,
  groupOf: (key: string) => string | undefined,
): Observation[] => {
  const observations: Observation[] = []
  for (const result of results.toSorted((a, b) => a.repetition - b.repetition)) {
    const value = amountOf(result, quantity)
    if (value === undefined) continue
    const group = groupOf(result.key)
    observations.push({ item: result.key, value, ...(group === undefined ? {} : { group }) })
  }
  return observations
}
