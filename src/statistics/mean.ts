import { studentQuantile } from './numbers/student.js'
import type { Interval } from './observation.js'

/**
 * Returns the interval of a mean of independent values from their deviation and number, by Student's t; null below two
 * values, or where the deviation is not known. One run's mean by itself: two means are compared by `compare`.
 */
export const intervalOfMean = (
  mean: number,
  deviation: number | null,
  count: number,
  confidence = 0.95,
): Interval | null => {
  if (deviation === null || count < 2) return null
  const half = (studentQuantile((1 - confidence) / 2, count - 1) * deviation) / Math.sqrt(count)
  return { low: mean - half, high: mean + half }
}
