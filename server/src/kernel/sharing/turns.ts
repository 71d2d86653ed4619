import { UsedTime } from './used-time.js'

/** Time that work runs before others get their turn, in milliseconds. */
const SLICE_MS = 10
/** Arriving connections that go before the next slice: they take about as long as it. */
const MAX_ARRIVING = 25

/** Resolves when work may continue; undefined when it may at once. */
export type Turn = () => Promise<void> | undefined

/**
 * Shares the event loop between keys. Work asks for a turn before each of its parts; once the loop was held for a
 * moment, further work waits in a queue of its key, and the key that has used the least time is the next: one with a
 * thousand requests, or with parts that take long, is no nearer to its turn than one with a single request.
 *
 * Node takes one new connection in each pass of the loop. With a slice of work in each pass, a client that connects
 * behind a thousand others would wait for a thousand slices; so while connections arrive, passes without work come in
 * between.
 */
export class Turns {
  /** By key; of keys that have used the same time, the first one's turn is next. */
  readonly #waiting = new Map<string, (() => void)[]>()
  readonly #now: () => number
  readonly #used: UsedTime
  /** True while work runs that has not yet waited for anything. */
  #isTaken = false
  #sliceBegan: number | undefined
  #arrivals = 0
  #isGivingWay = false

  /** `now` returns milliseconds, of any beginning: tests have a clock of their own. */
  constructor(now = () => performance.now()) {
    this.#now = now
    this.#used = new UsedTime(now)
  }

  take(key: string): Promise<void> | undefined {
    if (!this.#isTaken && this.#waiting.size === 0 && this.#isInSlice()) {
      this.#give(key)
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
    const now = this.#now()
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

  #give(key: string, go?: () => void): void {
    this.#isTaken = true
    const end = this.#used.begin(key)
    go?.()
    // After all microtasks: a tick that a microtask asks for comes when none are left.
    queueMicrotask(() =>
      process.nextTick(() => {
        end()
        this.#isTaken = false
        this.#next()
      }),
    )
  }

  #next(): void {
    if (this.#waiting.size === 0 || !this.#isInSlice()) return
    const key = this.#used.least(this.#waiting.keys()) as string
    const queue = this.#waiting.get(key) as (() => void)[]
    this.#waiting.delete(key)
    const go = queue.shift()
    if (queue.length > 0) this.#waiting.set(key, queue)
    this.#used.choose(key)
    this.#give(key, go)
  }
}
