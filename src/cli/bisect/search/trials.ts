import type { EvalItem } from '../../../evaluate/data/item.js'
import type { Observation } from '../../../statistics/index.js'

/** One run of the command: a version, an item of the dataset, and its repetition, from 1 on. */
export interface VersionTrial {
  readonly version: number
  readonly item: EvalItem
  readonly repetition: number
}

/** The scores so far. */
export class Trials {
  readonly #groups: ReadonlyMap<string, string>
  /** By version and item: the score of each repetition, null where the metric does not apply. */
  readonly #scores = new Map<number, Map<string, Map<number, number | null>>>()
  readonly #last = new Map<number, number>()
  #count = 0

  constructor(groups: ReadonlyMap<string, string>) {
    this.#groups = groups
  }

  /** Number of trials. */
  get count(): number {
    return this.#count
  }

  add({ version, item: { key }, repetition }: VersionTrial, score: number | null): void {
    const items = this.#scores.get(version) ?? new Map<string, Map<number, number | null>>()
    const repetitions = items.get(key) ?? new Map<number, number | null>()
    if (!repetitions.has(repetition)) this.#count++
    this.#last.set(version, Math.max(this.last(version), repetition))
    this.#scores.set(version, items.set(key, repetitions.set(repetition, score)))
  }

  has({ version, item, repetition }: VersionTrial): boolean {
    return this.#scores.get(version)?.get(item.key)?.has(repetition) === true
  }

  /** Returns the highest repetition of a version; 0 before its first. */
  last(version: number): number {
    return this.#last.get(version) ?? 0
  }

  /** Returns the scores of an item at a version. */
  valuesOf(version: number, key: string): number[] {
    const own = this.#scores.get(version)?.get(key)
    return own === undefined ? [] : [...own.values()].filter((score) => score !== null)
  }

  /** Returns the sum and the number of an item's scores at a version. */
  sumOf(version: number, key: string): { sum: number; count: number } {
    const own = this.valuesOf(version, key)
    return { sum: own.reduce((sum, score) => sum + score, 0), count: own.length }
  }

  /** Returns the mean of a version over all its trials; null without one. */
  meanOf(version: number): number | null {
    const all = [...(this.#scores.get(version)?.values() ?? [])]
      .flatMap((repetitions) => [...repetitions.values()])
      .filter((score) => score !== null)
    return all.length === 0 ? null : all.reduce((sum, score) => sum + score, 0) / all.length
  }

  /** Returns some repetitions of items at a version, as they are compared; null scores are missing. */
  observations(
    version: number,
    items: readonly EvalItem[],
    repetitions: readonly number[],
  ): Observation[] {
    return items.flatMap(({ key }) => {
      const group = this.#groups.get(key)
      return repetitions.flatMap((repetition) => {
        const value = this.#scores.get(version)?.get(key)?.get(repetition) ?? null
        return value === null
          ? []
          : [{ item: key, value, ...(group === undefined ? {} : { group }) }]
      })
    })
  }
}
