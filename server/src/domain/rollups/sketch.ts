import { ONE_SECOND, RATIO, type SeriesItem } from '../../storage/rollups/cells.js'

/** Returns the duration that stands for a class, in seconds: within 1 % of each that is in it. */
const durationOf = (position: number): number =>
  position === 0
    ? 0
    : (Math.sign(position) * 2 * RATIO ** (Math.abs(position) - ONE_SECOND)) / (RATIO + 1)

/** Durations, by classes that grow by the same ratio: what is added up is as good as if it had been in one place. */
class Sketch {
  readonly #sizes = new Map<number, number>()
  #count = 0

  add(classes: readonly number[], sizes: readonly number[]): void {
    for (let index = 0; index < classes.length; index++) {
      const position = classes[index] as number
      const size = sizes[index] as number
      this.#sizes.set(position, (this.#sizes.get(position) ?? 0) + size)
      this.#count += size
    }
  }

  /** Returns quantiles, between neighbouring values as `percentile_cont` does; null when there is no value. */
  quantiles(shares: readonly number[]): number[] | null {
    if (this.#count === 0) return null
    const sorted = [...this.#sizes].sort(([a], [b]) => a - b)
    const at = (rank: number) => {
      let before = 0
      for (const [position, size] of sorted) {
        before += size
        if (rank < before) return durationOf(position)
      }
      return durationOf(sorted.at(-1)?.[0] ?? 0)
    }
    return shares.map((share) => {
      const rank = share * (this.#count - 1)
      const low = at(Math.floor(rank))
      const high = at(Math.ceil(rank))
      return low + (rank - Math.floor(rank)) * (high - low)
    })
  }
}

const SHARES = [0.5, 0.95, 0.99]
const NAMES = ['inputTokens', 'outputTokens', 'tokens', 'cost'] as const

/** The sums of some series. */
export class Totals {
  readonly #durations = new Sketch()
  readonly #sums = { inputTokens: null, outputTokens: null, tokens: null, cost: null } as Record<
    (typeof NAMES)[number],
    bigint | null
  >
  count = 0
  errorCount = 0
  unpriced = 0

  add([, , count, errorCount, input, output, tokens, cost, unpriced, classes, sizes]: SeriesItem) {
    this.count += count
    this.errorCount += errorCount
    this.unpriced += unpriced
    for (const [index, text] of [input, output, tokens, cost].entries()) {
      const name = NAMES[index] as (typeof NAMES)[number]
      if (text !== null) this.#sums[name] = (this.#sums[name] ?? 0n) + BigInt(text)
    }
    this.#durations.add(classes, sizes)
  }

  measured() {
    const { count, errorCount, unpriced } = this
    const number = (sum: bigint | null) => (sum === null ? null : Number(sum))
    const { inputTokens, outputTokens, tokens, cost } = this.#sums
    return {
      count,
      errorCount,
      unpriced,
      inputTokens: number(inputTokens),
      outputTokens: number(outputTokens),
      tokens: number(tokens),
      cost: cost === null ? null : Number(cost) / 1e12,
      percentiles: this.#durations.quantiles(SHARES),
    }
  }
}
