import { studentQuantile } from '../numbers/student.js'
import { chanceOfUpper, type Limits } from './walk.js'

/** Looks at a run, the one at its end included. */
export const LOOKS = 20

/**
 * The limits of a test that is looked at {@link LOOKS} times, for the sum of differences over its deviation at the end: it
 * walks as a Brownian motion from time 0 to 1, the share of the items.
 */
export interface Boundaries {
  /** At or above it, the mean is above the one in question. */
  upper(time: number): number
  /** Below it, the rest will hardly show that; -Infinity at the end. */
  lower(time: number): number
}

/** The slope of the upper limit, in times of its begin. */
const UPPER_SLOPE = 0.965
/** The last limit beside the one that the line would have then. */
const LAST = 0.85
/** Where the lower limit begins, and by how much it rises, with 95 % confidence. */
const LOWER_BEGIN = -0.65
const LOWER_RISE = 2.05
const NORMAL_95 = 1.959964

/**
 * Returns limits by which a mean that is not above the one in question is called so with a chance of (1 − confidence) / 2.
 *
 * Two lines as in Wald's test, which needs the fewest items of all for two simple hypotheses, but drawn together so
 * that they meet when all items are there. Their slopes are near those of the best limits for a difference that a test of all items
 * finds four times out of five, computed backwards from the end; the height makes the chance exact.
 *
 * Sources: Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16 (1945); Anderson, "A
 * modification of the sequential probability ratio test to reduce the sample size", ibid. 31 (1960), for lines that
 * meet; Jennison and Turnbull, "Group Sequential Methods" (2000), for the rest.
 */
export const boundariesOf = (confidence: number): Boundaries => {
  const known = boundaries.get(confidence)
  if (known !== undefined) return known
  const chance = (1 - confidence) / 2
  const beside = studentQuantile(chance, Number.POSITIVE_INFINITY) / NORMAL_95
  const lower = (time: number) => LOWER_BEGIN / beside + LOWER_RISE * beside * time
  let low = 0
  let high = 8
  while (high - low > 1e-4) {
    const middle = (low + high) / 2
    if (chanceOfUpper(limitsOf(upperOf(middle), lower)) > chance) low = middle
    else high = middle
  }
  const made = {
    upper: upperOf(high),
    lower: (time: number) => (time < 1 ? lower(time) : Number.NEGATIVE_INFINITY),
  }
  boundaries.set(confidence, made)
  return made
}

const boundaries = new Map<number, Boundaries>()

const upperOf = (begin: number) => (time: number) =>
  time < 1 ? begin * (1 + UPPER_SLOPE * time) : begin * (1 + UPPER_SLOPE) * LAST

const limitsOf = (upper: Boundaries['upper'], lower: Boundaries['lower']): Limits => {
  const times = Array.from({ length: LOOKS }, (_, look) => (look + 1) / LOOKS)
  return { upper: times.map(upper), lower: times.map(lower) }
}
