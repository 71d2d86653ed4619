import type { Interval } from '../observation.js'
import { Bets, rangeGame } from './bets.js'

interface Unit {
  mean: number
  /** Its number of items, as a share of the largest unit's. */
  weight: number
}

interface Terms {
  /** The farthest that a mean can be from 0. */
  reach: number
  gain: number
  /** The log of the sum of money that excludes a mean. */
  needed: number
}

/** Returns the means that no bet excludes, in steps of a 250th of the reach; rounded outwards. */
export const confidenceSequence = (units: readonly Unit[], terms: Terms): Interval => ({
  low: lowestOf(units, terms),
  high:
    0 -
    lowestOf(
      units.map(({ mean, weight }) => ({ mean: -mean, weight })),
      terms,
    ),
})

const STEPS = 500

const lowestOf = (units: readonly Unit[], { reach, gain, needed }: Terms): number => {
  const limitAt = (step: number) => ((2 * step) / STEPS - 1) * reach
  const excludes = (limit: number) => {
    const bets = new Bets(rangeGame(limit, -reach), gain)
    return units.some(({ mean, weight }) => {
      bets.observe(mean, weight)
      return bets.highest >= needed
    })
  }
  let low = 0
  let high = STEPS
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (excludes(limitAt(middle))) low = middle
    else high = middle
  }
  return limitAt(low)
}
