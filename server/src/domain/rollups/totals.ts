import type { SeriesItem } from '../../storage/rollups/cells.js'
import { Sketch } from './sketch.js'

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

  /** Returns all of it as one series. */
  series(environment: string | null, key: string | null): SeriesItem {
    const text = (sum: bigint | null) => sum?.toString() ?? null
    const { inputTokens, outputTokens, tokens, cost } = this.#sums
    const { classes, sizes } = this.#durations.summed()
    return [
      environment,
      key,
      this.count,
      this.errorCount,
      text(inputTokens),
      text(outputTokens),
      text(tokens),
      text(cost),
      this.unpriced,
      classes,
      sizes,
    ]
  }
}
