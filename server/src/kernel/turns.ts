/** How long work goes on before others get their turn, in milliseconds. */
const SLICE_MS = 10

/** Resolves when work may go on; undefined when it may at once. */
export type Turn = () => Promise<void> | undefined

/**
 * Shares the event loop between keys. Work asks for a turn before each of its parts; once the loop was held for a moment,
 * those that ask wait for it in a queue of their key, and the keys come one after another: a key with a thousand requests
 * is as far from its next turn as one with a single one.
 */
export class Turns {
  /** By key; the first key is the next. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** Whether somebody has a turn, and has not yet come to a point where it waits for something. */
  #isTaken = false
  #sliceBegan: number | undefined

  take(key: string): Promise<void> | undefined {
    if (!this.#isTaken && this.#waiting.size === 0 && this.#isInSlice()) {
      this.#give()
      return undefined
    }
    return new Promise((go) => {
      const queue = this.#waiting.get(key)
      if (queue === undefined) this.#waiting.set(key, [go])
      else queue.push(go)
    })
  }

  #isInSlice(): boolean {
    const now = performance.now()
    if (this.#sliceBegan === undefined) {
      this.#sliceBegan = now
      // In between, sockets and timers are looked at.
      setImmediate(() => {
        this.#sliceBegan = undefined
        if (!this.#isTaken) this.#next()
      })
    }
    return now - this.#sliceBegan < SLICE_MS
  }

  #give(go?: () => void): void {
    this.#isTaken = true
    go?.()
    // After all that follows at once: a tick that a microtask asks for comes when there are no microtasks any more.
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#isTaken = false
        this.#next()
      }),
    )
  }

  #next(): void {
    const [first] = this.#waiting
    if (first === undefined || !this.#isInSlice()) return
    const [key, queue] = first
    this.#waiting.delete(key)
    const go = queue.shift()
    if (queue.length > 0) this.#waiting.set(key, queue)
    this.#give(go)
  }
}
