import { DomainError } from '../../kernel/errors.js'
import { type Leave, Places } from '../../kernel/sharing/places.js'

export interface GateLimits {
  /** Requests that are worked on at once. */
  concurrentRequests: number
  /** Requests that wait for their turn; further ones are rejected at once. */
  waitingRequests: number
  /** Time that a request waits for its turn, in milliseconds. */
  waitMs: number
}

/** The share of the places that one key may take, so that some are left for others. */
const SHARE = 0.25
/** With so few places in all, one key may take all of them. */
const MIN_SHARE = 4

/**
 * Limits the requests that are worked on, and those that wait for it; further ones are rejected, so that memory stays
 * bounded. Keys take turns, however many requests each of them has waiting, and a rejected request is one of the key
 * that has the most.
 */
export class ConcurrencyLimiter {
  readonly #limits: GateLimits
  readonly #places: Places
  #rejected = 0

  constructor(limits: GateLimits) {
    this.#limits = limits
    const share = Math.max(MIN_SHARE, Math.floor(limits.concurrentRequests * SHARE))
    this.#places = new Places({
      count: limits.concurrentRequests,
      mayTake: (taken) => taken < share,
    })
  }

  get state() {
    const { taken, waiting } = this.#places
    return { inside: taken, waiting, rejected: this.#rejected }
  }

  /** Admits a request of a key, at once or when its turn comes. Resolves to the function that ends its place. */
  async enter(key: string): Promise<Leave> {
    return this.#places.take(key) ?? this.#wait(key)
  }

  async #wait(key: string): Promise<Leave> {
    if (this.#places.waiting >= this.#limits.waitingRequests) this.#makeRoom(key)
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(this.#away()), this.#limits.waitMs)
    try {
      return await this.#places.wait(key, patience.signal)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Rejects the last request of the key that has the most waiting; throws when that is the key that asks. */
  #makeRoom(key: string): void {
    const longest = this.#places.longestWith(key)
    if (longest === key) throw this.#away()
    this.#places.refuseLast(longest, this.#away())
  }

  #away(): DomainError {
    this.#rejected++
    return new DomainError('UNAVAILABLE', 'the service is overloaded; try again in a moment')
  }
}
