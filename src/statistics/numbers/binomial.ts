import { betaBelow } from './student.js'

/**
 * Returns the two-sided p value of McNemar's exact test: of the items that flipped, were as many for the better as for
 * the worse? 1 when none flipped.
 *
 * Source: McNemar, Psychometrika 12 (1947), with the exact binomial distribution.
 */
export const flipP = (better: number, worse: number): number => {
  const most = Math.max(better, worse)
  const flips = better + worse
  if (most * 2 === flips) return 1
  // The share of a fair coin's results with at least `most`.
  return Math.min(1, 2 * betaBelow(0.5, most, flips - most + 1))
}
