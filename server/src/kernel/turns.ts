/** Time that work runs before others get their turn, in milliseconds. */
const SLICE_MS = 10
/** Arriving connections that go before the next slice: they take about as long as it. */
const MAX_ARRIVING = 25

/** Resolves when work may continue; undefined when it may at once. */
export type Turn = () => Promise<void> | undefined

/**
 * Shares the event loop between keys. Work asks for a turn before each of its parts; once the loop was held for a
 * moment, further work waits in a queue of its key, and the keys take turns: a key with a thousand requests is as far
 * from its next turn as one with a single request.
 *
 * Node takes one new connection in each pass of the loop. With a slice of work in each pass, a client that connects
 * behind a thousand others would wait for a thousand slices; so while connections arrive, passes without work come in
 * between.
 */
export class Turns {
  /** By key; the first key's turn is next. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** True while work runs that has not yet waited for anything. */
  #isTaken = false
  #sliceBegan: number | undefined
  #arrivals = 0
  #isGivingWay = false

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

  /** Reports that a connection was accepted. */
  arrived(): void {
    this.#arrivals++
  }

  #isInSlice(): boolean {
    if (this.#isGivingWay) return false
    const now = performance.now()
    if (this.#sliceBegan === undefined) {
      this.#sliceBegan = now
      const arrivals = this.#arrivals
      // Sockets and timers get their turn in between.
      setImmediate(() => this.#endSlice(arrivals, arrivals + MAX_ARRIVING))
    }
    return now - this.#sliceBegan < SLICE_MS
  }

  /** Starts the next slice once a pass of the loop brought no connection, or when `most` have arrived. */
  #endSlice(before: number, most: number): void {
    const now = this.#arrivals
    this.#isGivingWay = now > before && now < most
    if (this.#isGivingWay) {
      setImmediate(() => this.#endSlice(now, most))
      return
    }
    this.#sliceBegan = undefined
    if (!this.#isTaken) this.#next()
  }

  #give(go?: () => void): void {
    this.#isTaken = true
    go?.()
    // After all microtasks: a tick that a microtask asks for comes when none are left.
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
