import { crossing } from './numbers/root.js'
import { studentAbove, studentQuantile } from './numbers/student.js'
import type { Interval, Unit } from './observation.js'

/**
 * Returns the means that the units don't exclude, with an error of `alpha` in both directions together.
 *
 * Judges a mean by the distribution nearest to the sample that has this mean, on the values that were seen and the
 * farthest one that is possible. A difference that was too rare to be seen is in that distribution where the mean needs
 * it, so fifty items without a loss don't prove that there is none. The sample's distance from the mean, in
 * standard errors of that distribution, is compared with Student's t.
 *
 * For one proportion this is Wilson's interval, for paired proportions Tango's, with t in place of the normal
 * distribution.
 *
 * Sources: Tango, "Equivalence test and confidence interval for the difference in proportions for the paired-sample
 * design", Statistics in Medicine 17 (1998); Wilson, JASA 22 (1927); Owen, "Empirical Likelihood" (2001), for the
 * nearest distribution; Honda and Takemura, "An asymptotically optimal bandit algorithm for bounded support models",
 * COLT (2010), for the value that was not seen; Cameron, Gelbach and Miller, "Bootstrap-based improvements for inference
 * with clustered errors", Review of Economics and Statistics 90 (2008), for errors by groups under the mean in question.
 */
export const intervalOf = (units: readonly Unit[], possible: Interval, alpha: number): Interval => {
  const errors = errorsAt(studentQuantile(alpha / 2, units.length - 1), units.length)
  return {
    low: lowLimit(units, possible.low, errors),
    high: 0 - lowLimit(mirrored(units), -possible.high, errors),
  }
}

/** Returns the two-sided p value of a mean: the smallest `alpha` whose interval excludes it. */
export const pOf = (units: readonly Unit[], possible: Interval, mean: number): number => {
  const estimate = estimateOf(units)
  if (estimate === mean) return 1
  const errors =
    estimate > mean
      ? standardErrors(units, possible.low, mean)
      : standardErrors(mirrored(units), -possible.high, -mean)
  return Math.min(1, 2 * studentAbove(studentAt(errors, units.length), units.length - 1))
}

// Squares around the mean in question are larger than those around the sample's own, which Student's t is made for.
const errorsAt = (t: number, count: number): number => t * Math.sqrt(count / (count - 1 + t * t))

const studentAt = (errors: number, count: number): number =>
  errors ** 2 < count
    ? errors * Math.sqrt((count - 1) / (count - errors ** 2))
    : Number.POSITIVE_INFINITY

/** Returns the mean over all items. */
export const estimateOf = (units: readonly Unit[]): number => {
  const total = totalOf(units, ({ sum }) => sum)
  // Rounding must not make a difference of none.
  if (Math.abs(total) <= totalOf(units, ({ sum }) => Math.abs(sum)) * 1e-13) return 0
  return total / totalOf(units, ({ size }) => size)
}

const totalOf = (units: readonly Unit[], value: (unit: Unit) => number): number =>
  units.reduce((sum, unit) => sum + value(unit), 0)

const mirrored = (units: readonly Unit[]): Unit[] =>
  units.map(({ key, sum, size }) => ({ key, sum: 0 - sum, size }))

const lowLimit = (units: readonly Unit[], lowest: number, quantile: number): number => {
  const estimate = estimateOf(units)
  if (estimate <= lowest) return estimate
  const excess = (mean: number) =>
    Math.min(standardErrors(units, lowest, mean), 2 * quantile) - quantile
  const low = crossing(excess, lowest, estimate, (estimate - lowest) * 1e-10)
  return Math.min(low, estimate)
}

/** Returns how many standard errors a mean below the estimate is away from it. */
const standardErrors = (units: readonly Unit[], lowest: number, mean: number): number => {
  if (mean <= lowest) return Number.POSITIVE_INFINITY
  const count = units.length
  const away = Float64Array.from(units, ({ sum, size }) => sum - size * mean)
  const shift = away.reduce((sum, value) => sum + value, 0) / count
  if (shift <= 0) return 0
  const unseen = (totalOf(units, ({ size }) => size) / count) * (lowest - mean)
  const momentAt = (strength: number) =>
    away.reduce((sum, value) => sum + value / (1 + strength * value), 0) / count
  // Weights are 1 / (1 + strength · away), and none may be negative.
  const most = -1 / away.reduce((least, value) => Math.min(least, value), unseen)
  const rest = momentAt(most * (1 - 1e-9))
  const strength =
    rest >= 0 ? most * (1 - 1e-9) : crossing(momentAt, 0, most * (1 - 1e-9), most * 1e-9)
  let variance = 0
  for (const value of away) variance += (value * value) / (1 + strength * value)
  variance /= count
  // The mass that is left lies at the value that was not seen, as far as the mean needs it.
  if (rest > 0) variance -= rest * unseen
  return shift / Math.sqrt(variance / count)
}
