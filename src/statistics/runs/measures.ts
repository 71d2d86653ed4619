import type { RunResult } from './result.js'

/** Measures of a result: the time, tokens and dollars that it took, and its failure. Less is better. */
export const MEASURES = ['durationMs', 'tokens', 'cost', 'errors'] as const
export type Measure = (typeof MEASURES)[number]

/**
 * Returns a measure of a result; `undefined` when it is not known. A failed result has no duration, no tokens and no cost, as
 * a quick failure is no gain.
 */
export const measureOf = (result: RunResult, measure: Measure): number | undefined => {
  if (measure === 'errors') return result.error === null ? 0 : 1
  return result.error === null ? (result[measure] ?? undefined) : undefined
}

/** Returns the measures that differ from 0 in some result of some runs: the others say nothing. */
export const measuresIn = (runs: readonly (readonly RunResult[])[]): Measure[] =>
  MEASURES.filter((measure) =>
    runs.some((results) => results.some((result) => (measureOf(result, measure) ?? 0) !== 0)),
  )
