/** Time that one piece of work may hold the event loop. */
const MAX_TURN_MS = 10

/**
 * A turn on the event loop. Loops over a caller's values, however many, contain `if (turn.isOver()) await turn.next()`,
 * so that other requests are answered in between.
 */
export class Turn {
  #begin = performance.now()

  isOver(): boolean {
    return performance.now() - this.#begin > MAX_TURN_MS
  }

  /** Resolves once everything that waited for the event loop has run. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#begin = performance.now()
  }
}
