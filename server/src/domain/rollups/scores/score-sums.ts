import type { ScoreItem } from '../../../storage/rollups/scores.js'
import type { Moments } from '../../../storage/scores/measured.js'
import { addMoments } from './moments.js'

/** Adds up series of scores: those of one environment, of experiments or not, of one name and value are one. */
export class ScoreSums {
  readonly #items = new Map<string, ScoreItem>()
  /** The characters of all names and values. */
  characters = 0

  get size(): number {
    return this.#items.size
  }

  add(item: ScoreItem): void {
    const [environment, isOfExperiment, name, key] = item
    const place = JSON.stringify([environment, isOfExperiment, name, key])
    const known = this.#items.get(place)
    if (known === undefined) {
      this.#items.set(place, [...item])
      this.characters += name.length + (key?.length ?? 0)
    } else {
      const { count, mean, squares } = addMoments(momentsOf(known), momentsOf(item))
      known.splice(4, 3, count, mean, squares)
    }
  }

  items(): ScoreItem[] {
    return [...this.#items.values()]
  }
}

export const momentsOf = ([, , , , count, mean, squares]: ScoreItem): Moments => ({
  count,
  mean,
  squares,
})
