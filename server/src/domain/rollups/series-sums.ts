import type { SeriesItem } from '../../storage/rollups/cells.js'
import { Totals } from './totals.js'

/** Adds up series: those of one environment and value are one. */
export class SeriesSums {
  readonly #sums = new Map<
    string,
    { environment: string | null; key: string | null; totals: Totals }
  >()

  get size(): number {
    return this.#sums.size
  }

  has(item: SeriesItem): boolean {
    return this.#sums.has(nameOf(item))
  }

  add(item: SeriesItem): void {
    const [environment, key] = item
    let found = this.#sums.get(nameOf(item))
    if (found === undefined) {
      found = { environment, key, totals: new Totals() }
      this.#sums.set(nameOf(item), found)
    }
    found.totals.add(item)
  }

  items(): SeriesItem[] {
    return [...this.#sums.values()].map(({ environment, key, totals }) =>
      totals.series(environment, key),
    )
  }
}

const nameOf = ([environment, key]: SeriesItem) => JSON.stringify([environment, key])
