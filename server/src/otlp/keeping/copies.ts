import type { Span } from '../span.js'
import type { Copied } from './metadata.js'

/** Characters of one request that steps repeat: 2,000 of each span where there are 50,000. */
const MAX_COPIED = 100_000_000
/** Names of a service and a scope are repeated in any case, up to this length. */
const MAX_NAMES = 1000

/**
 * Keeps steps from taking many times the bytes of their request: a resource comes once in it, and each step has all of
 * it. Steps beyond the limit name what is left out.
 */
export class Copies {
  #left: number

  constructor(mostWeight = MAX_COPIED) {
    this.#left = mostWeight
  }

  /** Returns which parts of its origin the step of a span repeats. */
  of({ origin }: Pick<Span, 'origin'>): Copied {
    const names = origin.named.characters
    const isNamed = names <= MAX_NAMES || names <= this.#left
    if (isNamed) this.#left -= names
    const { characters } = origin.rest
    const isWhole = characters <= this.#left
    if (isWhole) this.#left -= characters
    return { named: isNamed, rest: isWhole }
  }
}
