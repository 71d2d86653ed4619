import type { Observation } from '../../../src/statistics/index.js'

/** Scores of a base and a candidate on the same items, item by item. */
export type Runs = Record<string, { base: Observation[]; candidate: Observation[] }>

/**
 * - `binary`: an item passes or fails, and some are easier than others.
 * - `graded`: a judge's grade from 0 to 1.
 * - `rare`: nearly all items get 0.9, and one in twenty 0.
 * - `sudden`: all items get 0.9 in the base; how many get 0 is the candidate's shift alone.
 */
export type Kind = 'binary' | 'graded' | 'rare' | 'sudden'

export interface World {
  kinds: readonly Kind[]
  items: number
  /** Items in a group; they share most of their luck. Default: 1. */
  groupSize?: number
  /** By how much the candidate is better, in its luck's deviation. The first score's alone. Default: 0. */
  shift?: number
  /** The luck that all items of `binary` have: 0.5 lets 64 of 100 pass. Default: 0.5. */
  level?: number
}

const GROUP_SHARE = 0.7

/** Lets both runs happen once. */
export const runWorld = (
  { kinds, items, groupSize = 1, shift = 0, level = 0.5 }: World,
  random: () => number,
): Runs => {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const lucks = () => {
    let shared = 0
    return Array.from({ length: items }, (_, place) => {
      if (place % groupSize === 0) shared = normal()
      if (groupSize === 1) return shared
      return Math.sqrt(GROUP_SHARE) * shared + Math.sqrt(1 - GROUP_SHARE) * normal()
    })
  }
  const ease = Array.from({ length: items }, normal)
  const scores = kinds.map((kind, place) => {
    const run = (more: number): Observation[] =>
      lucks().map((luck, item) => ({
        item: `item ${item}`,
        ...(groupSize > 1 ? { group: `group ${Math.floor(item / groupSize)}` } : {}),
        value: VALUES[kind](luck + more, ease[item] ?? 0, level),
      }))
    return [`score ${place}`, { base: run(0), candidate: run(place === 0 ? shift : 0) }] as const
  })
  return Object.fromEntries(scores)
}

const VALUES: Record<Kind, (luck: number, ease: number, level: number) => number> = {
  binary: (luck, ease, level) => (level + ease + luck > 0 ? 1 : 0),
  graded: (luck, ease) => Math.min(1, Math.max(0, 0.6 + 0.1 * ease + 0.12 * luck)),
  rare: (luck) => (luck < -1.645 ? 0 : 0.9),
  sudden: (luck) => (luck < -4 ? 0 : 0.9),
}
