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
 * Bodies from this size on, unpacked, are worked on four at a time of each key: what is read from one takes many times
 * its size, and the first answers come sooner than when all are worked on at once. The others wait as bytes.
 */
const LARGE_BYTES = 256_000
const LARGE_AT_ONCE = 4

/**
 * Limits the requests that are worked on, and those that wait for it; further ones are rejected, so that memory stays
 * bounded. Keys take turns, however many requests each of them has waiting, and a rejected request is one of the key
 * that has the most.
 */
export class ConcurrencyLimiter {
  readonly #limits: GateLimits
  readonly #places: Places
  readonly #large: Places
  #rejected = 0

  constructor(limits: GateLimits) {
    this.#limits = limits
    const share = Math.max(MIN_SHARE, Math.floor(limits.concurrentRequests * SHARE))
    this.#places = new Places({
      count: limits.concurrentRequests,
      mayTake: (taken) => taken < share,
    })
    this.#large = new Places({
      count: Number.POSITIVE_INFINITY,
      mayTake: (taken) => taken < LARGE_AT_ONCE,
    })
  }

  get state() {
    const { taken, waiting } = this.#places
    return { inside: taken, waiting: waiting + this.#large.waiting, rejected: this.#rejected }
  }

  /**
   * Admits a request of a key, at once or when its turn comes. `bytes` is the size of its body, unpacked. Resolves to
   * the function that ends its place.
   */
  async enter(key: string, bytes = 0): Promise<Leave> {
    if (bytes < LARGE_BYTES) return this.#take(this.#places, key)
    const leaveLarge = await this.#take(this.#large, key)
    try {
      const leave = await this.#take(this.#places, key)
      return () => {
        leave()
        leaveLarge()
      }
    } catch (error) {
      leaveLarge()
      throw error
    }
  }

  async #take(places: Places, key: string): Promise<Leave> {
    return places.take(key) ?? this.#wait(places, key)
  }

  async #wait(places: Places, key: string): Promise<Leave> {
    if (places.waiting >= this.#limits.waitingRequests) this.#makeRoom(places, key)
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(this.#away()), this.#limits.waitMs)
    try {
      return await places.wait(key, patience.signal)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Rejects the last request of the key that has the most waiting; throws when that is the key that asks. */
  #makeRoom(places: Places, key: string): void {
    const longest = places.longestWith(key)
    if (longest === key) throw this.#away()
    places.refuseLast(longest, this.#away())
  }

  #away(): DomainError {
    this.#rejected++
    return new DomainError('UNAVAILABLE', 'the service is overloaded; try again in a moment')
  }
}
