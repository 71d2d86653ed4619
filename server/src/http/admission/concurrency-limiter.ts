import { DomainError } from '../../kernel/errors.js'
import { type Leave, Places } from '../../kernel/places.js'

export interface GateLimits {
  /** Requests that are worked on at once. */
  concurrentRequests: number
  /** Requests that wait for their turn; those beyond are sent away at once. */
  waitingRequests: number
  /** How long a request waits for its turn, in milliseconds. */
  waitMs: number
}

/** The part of the places that one key may take, so that there always are some for another one. */
const SHARE = 0.25
/** Of a gate so narrow that it has few places anyway, all of them. */
const MIN_SHARE = 4

/**
 * Too many requests at once wait, and too many that wait are sent away: memory stays bounded, whatever comes. Keys take
 * turns, whatever number of requests each of them has waiting, and who is sent away is of the key that has the most.
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

  /** Lets a request of a key in, at once or when it is its turn. Resolves to the function that lets it out again. */
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

  /** Sends away the last one of the key that has the most waiting; throws when that is the key that asks. */
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
