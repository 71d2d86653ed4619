import type { Interval } from './observation.js'

/** The largest score that is compared: squares of sums of larger ones could overflow. */
const MAX_SCORE = 1e140

/** @throws RangeError unless a stated range has a low limit below a high one, and both can be compared. */
export const checkRange = ({ low, high }: Interval): void => {
  if (!(low >= -MAX_SCORE && high <= MAX_SCORE))
    throw new RangeError('range: expected limits from -1e140 to 1e140')
  if (!(low < high)) throw new RangeError('range: expected low below high')
}

/** Returns whether a score is so large that sums of such scores may overflow. */
export const isTooLarge = (value: number): boolean => Math.abs(value) > MAX_SCORE
