import { random } from './random.js'

/** A difference with its uncertainty. */
export interface Difference {
  mean: number
  /** The 95 % interval; undefined below two pairs. */
  interval: readonly [low: number, high: number] | undefined
  pairs: number
}

const RESAMPLES = 2000
/** Fixed, so that a page always shows the same interval. */
const SEED = 0x5eed

/** Returns the mean of paired differences with its 95 % interval, by resampling the pairs. */
export const pairedDifference = (differences: readonly number[]): Difference => {
  const pairs = differences.length
  const mean = differences.reduce((sum, value) => sum + value, 0) / pairs
  if (pairs < 2) return { mean, interval: undefined, pairs }
  const next = random(SEED)
  const means = new Float64Array(RESAMPLES)
  for (let sample = 0; sample < RESAMPLES; sample++) {
    let sum = 0
    for (let draw = 0; draw < pairs; draw++) sum += differences[Math.floor(next() * pairs)] ?? 0
    means[sample] = sum / pairs
  }
  means.sort()
  return {
    mean,
    interval: [
      means[Math.floor(RESAMPLES * 0.025)] ?? mean,
      means[Math.ceil(RESAMPLES * 0.975) - 1] ?? mean,
    ],
    pairs,
  }
}

const MIN_PAIRS = 10

/** Names a difference in words. */
export const conclusionOf = (
  { mean, interval, pairs }: Difference,
  better: 'HIGHER' | 'LOWER' | 'NONE',
): 'better' | 'worse' | 'different' | 'no clear difference' | 'too few' => {
  if (pairs < MIN_PAIRS || interval === undefined) return 'too few'
  const [low, high] = interval
  if (low <= 0 && high >= 0) return 'no clear difference'
  if (better === 'NONE') return 'different'
  return mean > 0 === (better === 'HIGHER') ? 'better' : 'worse'
}

/** Returns the 95 % interval of a mean from its deviation and count; undefined below two values. */
export const intervalOfMean = (
  mean: number,
  deviation: number | null,
  count: number,
): readonly [number, number] | undefined => {
  if (deviation === null || count < 2) return undefined
  const half = (1.96 * deviation) / Math.sqrt(count)
  return [mean - half, mean + half]
}
