import { normalAbove } from '../numbers/student.js'

/** Limits of a walk at equally spaced times up to 1, the last of them at 1. */
export interface Limits {
  upper: readonly number[]
  /** Where the walk ends without reaching the upper limit; none before the last time when missing. */
  lower?: readonly number[]
}

// Simpson's rule is exact to five digits with so many places, odd in number.
const PLACES = 61
/** Deviations of the walk beyond which nothing counts. */
const REACH = 6

/**
 * Returns the chance that a Brownian motion, looked at at these times, is at or above an upper limit before it is below a
 * lower one. `drift` is its mean at time 1.
 *
 * Source: Armitage, McPherson and Rowe, "Repeated significance tests on accumulating data", JRSS A 132 (1969); Jennison and
 * Turnbull, "Group Sequential Methods" (2000), chapter 19, for the integrals.
 */
export const chanceOfUpper = ({ upper, lower }: Limits, drift = 0): number => {
  const step = 1 / upper.length
  const deviation = Math.sqrt(step)
  const move = drift * step
  // The walk's density while it goes on, at places with their weights; it begins at 0.
  let walk = [{ at: 0, mass: 1 }]
  let chance = 0
  for (const [look, high] of upper.entries()) {
    const time = (look + 1) * step
    for (const { at, mass } of walk) chance += mass * normalAbove((high - at - move) / deviation)
    const spread = REACH * Math.sqrt(time)
    const from = Math.max(lower?.[look] ?? Number.NEGATIVE_INFINITY, drift * time - spread)
    const to = Math.min(high, drift * time + spread)
    if (from >= to) return chance
    const width = (to - from) / (PLACES - 1)
    walk = Array.from({ length: PLACES }, (_, place) => {
      const at = from + place * width
      let density = 0
      for (const { at: before, mass } of walk) {
        const off = (at - before - move) / deviation
        density += mass * Math.exp(-0.5 * off * off)
      }
      const weight = place === 0 || place === PLACES - 1 ? 1 : place % 2 === 1 ? 4 : 2
      return { at, mass: (density * weight * width) / (3 * deviation * Math.sqrt(2 * Math.PI)) }
    })
  }
  return chance
}
