import { LRUCache } from 'lru-cache'
import { DomainError } from '../../kernel/errors.js'

interface Bucket {
  left: number
  at: number
}

const MAX_BUCKETS = 10_000

/** A refusal with the time after which to try again. */
export class RateLimitError extends DomainError {
  readonly retryAfterSeconds: number

  constructor(perSecond: number, retryAfterSeconds: number) {
    super(
      'RATE_LIMITED',
      `this API key sends more than ${perSecond} requests a second; try again in ${retryAfterSeconds} s`,
    )
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Limits the requests of each key: so many a second, and for a moment ten times as many. */
export class RateLimiter {
  readonly #perSecond: number
  /** The least active keys are forgotten first: their buckets are full again. */
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS })
  #refused = 0

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  get refused(): number {
    return this.#refused
  }

  /**
   * Counts a request, by a monotonic clock in milliseconds. Throws when there were too many. One that is rejected takes nothing:
   * a key that asks somewhat too often would get no request through at all.
   */
  take(key: string, now = performance.now()): void {
    const most = this.#perSecond * 10
    const bucket = this.#buckets.get(key) ?? { left: most, at: now }
    const left = Math.min(most, bucket.left + ((now - bucket.at) / 1000) * this.#perSecond)
    const isAccepted = left >= 1
    this.#buckets.set(key, { left: isAccepted ? left - 1 : left, at: now })
    if (isAccepted) return
    this.#refused++
    throw new RateLimitError(this.#perSecond, Math.ceil((1 - left) / this.#perSecond))
  }
}
