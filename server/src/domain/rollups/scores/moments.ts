import type { Moments } from '../../../storage/scores/measured.js'

export const NO_MOMENTS: Moments = { count: 0, mean: 0, squares: 0 }

/** Adds up the moments of two lists of values: Chan, Golub and LeVeque, 1979. */
export const addMoments = (one: Moments, other: Moments): Moments => {
  if (one.count === 0) return other
  if (other.count === 0) return one
  const count = one.count + other.count
  const apart = other.mean - one.mean
  return {
    count,
    mean: one.mean + (apart * other.count) / count,
    squares: one.squares + other.squares + (apart * apart * one.count * other.count) / count,
  }
}
