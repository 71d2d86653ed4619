/** How long one piece of work keeps the event loop before others get their turn. */
const MAX_TURN_MS = 10

/**
 * A turn on the event loop. Loops over what a caller sent, of whatever length, write
 * `if (turn.isOver()) await turn.next()` in their bodies, so that other requests are answered meanwhile.
 */
export class Turn {
  #begin = performance.now()

  isOver(): boolean {
    return performance.now() - this.#begin > MAX_TURN_MS
  }

  /** Resolves once all that waited for the event loop has had it. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#begin = performance.now()
  }
}
