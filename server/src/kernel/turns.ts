/** How long work goes on before others get their turn, in milliseconds. */
const SLICE_MS = 10
/** How many connections that arrive go before the next slice: they take about as long as it. */
const MAX_ARRIVING = 25

/** Resolves when work may go on; undefined when it may at once. */
export type Turn = () => Promise<void> | undefined

/**
 * Shares the event loop between keys. Work asks for a turn before each of its parts; once the loop was held for a moment,
 * those that ask wait for it in a queue of their key, and the keys come one after another: a key with a thousand requests
 * is as far from its next turn as one with a single one.
 *
 * Node takes one new connection in each pass of the loop. With a slice of work in each of them, who connects behind a
 * thousand others would wait for a thousand slices; so while connections arrive, passes without work come in between.
 */
export class Turns {
  /** By key; the first key is the next. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** Whether somebody has a turn, and has not yet come to a point where it waits for something. */
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

  /** Says that a connection was taken. */
  arrived(): void {
    this.#arrivals++
  }

  #isInSlice(): boolean {
    if (this.#isGivingWay) return false
    const now = performance.now()
    if (this.#sliceBegan === undefined) {
      this.#sliceBegan = now
      const arrivals = this.#arrivals
      // In between, sockets and timers are looked at.
      setImmediate(() => this.#endSlice(arrivals, arrivals + MAX_ARRIVING))
    }
    return now - this.#sliceBegan < SLICE_MS
  }

  /** Has the next slice begin, once no connection was taken since there were so many, or as many as may go before it. */
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
