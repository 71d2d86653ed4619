import { ONE_SECOND, RATIO } from '../../storage/rollups/cells.js'

/** Returns the duration that stands for a class, in seconds: within 1 % of each that is in it. */
const durationOf = (position: number): number =>
  position === 0
    ? 0
    : (Math.sign(position) * 2 * RATIO ** (Math.abs(position) - ONE_SECOND)) / (RATIO + 1)

/** The classes that clocks give, from less than a microsecond to thousands of years. Others are counted one by one. */
const FIRST = ONE_SECOND - 1000
const WIDTH = 2500
/** Counts of one sketch at a time: nothing waits while they are filled. */
const counts = new Float64Array(WIDTH)

/** Durations, by classes that grow by the same ratio: what is added up is as good as if it had been in one place. */
export class Sketch {
  readonly #parts: { classes: readonly number[]; sizes: readonly number[] }[] = []

  add(classes: readonly number[], sizes: readonly number[]): void {
    if (classes.length > 0) this.#parts.push({ classes, sizes })
  }

  /** Returns the classes that have durations, the shortest first, and how many are in each. */
  summed(): { classes: number[]; sizes: number[] } {
    counts.fill(0)
    const others = new Map<number, number>()
    for (const { classes, sizes } of this.#parts)
      for (let index = 0; index < classes.length; index++) {
        const position = classes[index] as number
        const size = sizes[index] as number
        const place = position - FIRST
        if (place >= 0 && place < WIDTH) counts[place] = (counts[place] as number) + size
        else others.set(position, (others.get(position) ?? 0) + size)
      }
    const found = [...others]
    for (let place = 0; place < WIDTH; place++) {
      const size = counts[place] as number
      if (size > 0) found.push([FIRST + place, size])
    }
    if (others.size > 0) found.sort(([a], [b]) => a - b)
    return { classes: found.map(([position]) => position), sizes: found.map(([, size]) => size) }
  }

  /** Returns quantiles, between neighbouring values as `percentile_cont` does; null when there is no value. */
  quantiles(shares: readonly number[]): number[] | null {
    const { classes, sizes } = this.summed()
    const count = sizes.reduce((sum, size) => sum + size, 0)
    if (count === 0) return null
    const at = (rank: number) => {
      let before = 0
      for (const [index, size] of sizes.entries()) {
        before += size
        if (rank < before) return durationOf(classes[index] as number)
      }
      return durationOf(classes.at(-1) ?? 0)
    }
    return shares.map((share) => {
      const rank = share * (count - 1)
      const low = at(Math.floor(rank))
      const high = at(Math.ceil(rank))
      return low + (rank - Math.floor(rank)) * (high - low)
    })
  }
}
