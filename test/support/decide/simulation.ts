import { random } from '../../../src/statistics/numbers/random.js'
import type { Rule } from './rules.js'
import { runWorld, type World } from './worlds.js'

/** The share of rounds in which a rule said something, and what it took. */
export interface Tally {
  /** Of all rounds, those in which a score was called better or worse. */
  said: number
  /** Those in which the first score was called better. */
  better: number
  /** Those in which the first score was called better, or not worse. */
  passed: number
  /** Mean number of items, as a share of all. */
  items: number
}

/** Lets each rule judge the same rounds of a world. */
export const simulate = <Name extends string>(
  world: World,
  rules: Record<Name, Rule>,
  { rounds, seed }: { rounds: number; seed: number },
): Record<Name, Tally> => {
  const next = random(seed)
  const names = Object.keys(rules) as Name[]
  const tallies = new Map(names.map((name) => [name, { said: 0, better: 0, passed: 0, items: 0 }]))
  for (let round = 0; round < rounds; round++) {
    const runs = runWorld(world, next)
    for (const [name, tally] of tallies) {
      const { verdicts, items } = rules[name](runs)
      if (verdicts.some((one) => one === 'better' || one === 'worse')) tally.said += 1 / rounds
      if (verdicts[0] === 'better') tally.better += 1 / rounds
      if (verdicts[0] === 'better' || verdicts[0] === 'not worse') tally.passed += 1 / rounds
      tally.items += items / world.items / rounds
    }
  }
  return Object.fromEntries(tallies) as Record<Name, Tally>
}
