import type { Runs } from './worlds.js'

/** Returns true when a rule lets a candidate pass. */
export type Gate = (runs: Runs) => boolean

const firstOf = (runs: Runs) => Object.values(runs)[0] ?? { base: [], candidate: [] }

const meanOf = (observations: readonly { value: number }[]) =>
  observations.reduce((sum, { value }) => sum + value, 0) / observations.length

const flipsOf = (runs: Runs) => {
  const { base, candidate } = firstOf(runs)
  const differences = candidate.map(({ value }, place) => value - (base[place]?.value ?? 0))
  return {
    improved: differences.filter((one) => one > 0).length,
    regressed: differences.filter((one) => one < 0).length,
  }
}

/**
 * LangSmith's quality gate: a script that ends with a failure when the mean of a score is below a fixed number, 0.85 in
 * the documented example.
 *
 * Source: docs.langchain.com/langsmith/read-local-experiment-results, "Implement a quality gate"; page of November 2025.
 */
export const langSmithGate: Gate = (runs) => meanOf(firstOf(runs).candidate) >= 0.85

/**
 * LangSmith's comparison: a run is red when its score fell against the source experiment and green when it rose, and
 * their numbers stand above the column. It has no verdict; here the larger number is taken for one.
 *
 * Source: docs.langchain.com/langsmith/compare-experiment-results, "View regressions and improvements"; page of 2026.
 */
export const langSmithComparison: Gate = (runs) => {
  const { improved, regressed } = flipsOf(runs)
  return regressed <= improved
}

/**
 * Braintrust's `bt eval` without a reporter of one's own: it fails when an evaluation throws, and scores don't matter.
 *
 * Source: braintrust.dev/docs/evaluate/run-in-ci, "Customize pass/fail with reporters"; page of 2026.
 */
export const braintrustEval: Gate = () => true

/**
 * Braintrust's comment on a pull request: the average with its change against the baseline, beside the numbers of
 * improvements and regressions. It has no verdict; here an average that fell is taken for one.
 *
 * Source: the README of github.com/braintrustdata/eval-action, "Example eval report"; commit 14b458f, 2026.
 */
export const braintrustComment: Gate = (runs) => {
  const { base, candidate } = firstOf(runs)
  return meanOf(candidate) >= meanOf(base)
}
