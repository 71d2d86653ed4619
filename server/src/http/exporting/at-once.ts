import { DomainError } from '../../kernel/errors.js'

/** Exports of one key that run at once. */
const MAX_AT_ONCE = 4

/** Counts the exports of each key, each of which reads for as long as its client does. */
export class ExportsAtOnce {
  readonly #running = new Map<string, number>()

  /** Begins an export; returns the function that ends it, of which a second call does nothing. */
  begin(key: string): () => void {
    const running = this.#running.get(key) ?? 0
    if (running >= MAX_AT_ONCE)
      throw new DomainError(
        'UNAVAILABLE',
        `this API key has ${MAX_AT_ONCE} exports under way; try again when one of them has ended`,
      )
    this.#running.set(key, running + 1)
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      const left = (this.#running.get(key) ?? 1) - 1
      if (left === 0) this.#running.delete(key)
      else this.#running.set(key, left)
    }
  }
}
