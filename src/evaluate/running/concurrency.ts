import { runtime } from '../../outbox/host.js'

/** Milliseconds without a further reduction after one: the calls that were under way fail for the same reason. */
const CALM_MS = 1000

/**
 * The number of items that run at once. A provider's refusal halves it and makes all wait; each time that many items
 * succeed, it grows by one, up to the given number.
 */
export class Concurrency {
  readonly most: number
  #allowed: number
  #successes = 0
  #resumesAt = 0
  #reducedAt = Number.NEGATIVE_INFINITY

  constructor(most: number) {
    this.most = most
    this.#allowed = most
  }

  /** The items that may run at once now. */
  get allowed(): number {
    return this.#allowed
  }

  /** Milliseconds until items may start again; 0 when they may now. */
  pauseMs(now = runtime.elapsed()): number {
    return Math.max(0, this.#resumesAt - now)
  }

  /** Notes that an item succeeded. */
  succeed(): void {
    if (this.#allowed >= this.most || ++this.#successes < this.#allowed) return
    this.#successes = 0
    this.#allowed++
  }

  /** Notes that a provider refused a call. Nothing starts for that time. */
  refuse(waitMs: number, now = runtime.elapsed()): void {
    this.#resumesAt = Math.max(this.#resumesAt, now + waitMs)
    this.#successes = 0
    if (now - this.#reducedAt < CALM_MS) return
    this.#reducedAt = now
    this.#allowed = Math.max(1, Math.floor(this.#allowed / 2))
  }
}
