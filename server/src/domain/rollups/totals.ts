import type { SeriesItem } from '../../storage/rollups/cells.js'
import { ExactSum } from './exact-sum.js'
import { Sketch } from './sketch.js'

const SHARES = [0.5, 0.95, 0.99]

/** The sums of some series. */
export class Totals {
  readonly #durations = new Sketch()
  readonly #inputTokens = new ExactSum()
  readonly #outputTokens = new ExactSum()
  readonly #tokens = new ExactSum()
  readonly #cost = new ExactSum()
  count = 0
  errorCount = 0
  unpriced = 0

  add([, , count, errorCount, input, output, tokens, cost, unpriced, classes, sizes]: SeriesItem) {
    this.count += count
    this.errorCount += errorCount
    this.unpriced += unpriced
    this.#inputTokens.add(input)
    this.#outputTokens.add(output)
    this.#tokens.add(tokens)
    this.#cost.add(cost)
    this.#durations.add(classes, sizes)
  }

  measured() {
    const { count, errorCount, unpriced } = this
    const cost = this.#cost.value()
    return {
      count,
      errorCount,
      unpriced,
      inputTokens: numberOf(this.#inputTokens),
      outputTokens: numberOf(this.#outputTokens),
      tokens: numberOf(this.#tokens),
      cost: cost === null ? null : Number(cost) / 1e12,
      percentiles: this.#durations.quantiles(SHARES),
    }
  }

  /** Returns all of it as one series. */
  series(environment: string | null, key: string | null): SeriesItem {
    const { classes, sizes } = this.#durations.summed()
    return [
      environment,
      key,
      this.count,
      this.errorCount,
      textOf(this.#inputTokens),
      textOf(this.#outputTokens),
      textOf(this.#tokens),
      textOf(this.#cost),
      this.unpriced,
      classes,
      sizes,
    ]
  }
}

const numberOf = (sum: ExactSum): number | null => {
  const value = sum.value()
  return value === null ? null : Number(value)
}

const textOf = (sum: ExactSum): string | null => sum.value()?.toString() ?? null
