import { DomainError } from '../domain/errors.js'

export interface GateLimits {
  /** Requests that are worked on at once. */
  concurrentRequests: number
  /** Requests that wait for their turn; those beyond are sent away at once. */
  waitingRequests: number
  /** How long a request waits for its turn, in milliseconds. */
  waitMs: number
}

interface Waiter {
  key: string
  enter: () => void
  sendAway: () => void
}

/** The part of the places that one key may take, so that there always are some for another one. */
const SHARE = 0.25
/** Of a gate so narrow that it has few places anyway, all of them. */
const MIN_SHARE = 4

/**
 * Too many requests at once wait, and too many that wait are sent away: memory stays bounded, whatever comes. Keys take
 * turns, whatever number of requests each of them has waiting, and who is sent away is of the key that has the most.
 */
export class Gate {
  readonly #limits: GateLimits
  readonly #share: number
  /** By key; the first key is the next. */
  readonly #waiting = new Map<string, Waiter[]>()
  readonly #insideOf = new Map<string, number>()
  #inside = 0
  #waitingCount = 0
  #sentAway = 0

  constructor(limits: GateLimits) {
    this.#limits = limits
    this.#share = Math.max(MIN_SHARE, Math.floor(limits.concurrentRequests * SHARE))
  }

  get state() {
    return { inside: this.#inside, waiting: this.#waitingCount, sentAway: this.#sentAway }
  }

  /** Lets a request of a key in, at once or when it is its turn. Resolves to the function that lets it out again. */
  async enter(key: string): Promise<() => void> {
    if (this.#hasRoom(key)) this.#take(key)
    else await this.#wait(key)
    let isOut = false
    return () => {
      if (isOut) return
      isOut = true
      this.#inside--
      const left = (this.#insideOf.get(key) ?? 1) - 1
      if (left === 0) this.#insideOf.delete(key)
      else this.#insideOf.set(key, left)
      this.#admit()
    }
  }

  #hasRoom(key: string): boolean {
    return (
      this.#inside < this.#limits.concurrentRequests && (this.#insideOf.get(key) ?? 0) < this.#share
    )
  }

  #take(key: string): void {
    this.#inside++
    this.#insideOf.set(key, (this.#insideOf.get(key) ?? 0) + 1)
  }

  #wait(key: string): Promise<void> {
    if (this.#waitingCount >= this.#limits.waitingRequests) this.#makeRoom(key)
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        this.#remove(waiter)
      }
      const waiter: Waiter = {
        key,
        enter: () => {
          end()
          resolve()
        },
        sendAway: () => {
          end()
          reject(this.#away())
        },
      }
      const timer = setTimeout(waiter.sendAway, this.#limits.waitMs)
      const queue = this.#waiting.get(key)
      if (queue === undefined) this.#waiting.set(key, [waiter])
      else queue.push(waiter)
      this.#waitingCount++
    })
  }

  #remove(waiter: Waiter): void {
    const queue = this.#waiting.get(waiter.key) ?? []
    queue.splice(queue.indexOf(waiter), 1)
    if (queue.length === 0) this.#waiting.delete(waiter.key)
    this.#waitingCount--
  }

  /** Sends away the last one of the key that has the most waiting; throws when that is the key that asks. */
  #makeRoom(key: string): void {
    let [most, longest] = [key, (this.#waiting.get(key)?.length ?? 0) + 1]
    for (const [other, { length }] of this.#waiting)
      if (length > longest) [most, longest] = [other, length]
    if (most === key) throw this.#away()
    this.#waiting.get(most)?.at(-1)?.sendAway()
  }

  /** The first of each key in turn. */
  #admit(): void {
    for (;;) {
      const next = [...this.#waiting].find(([key]) => this.#hasRoom(key))
      if (next === undefined) return
      const [key, queue] = next
      this.#take(key)
      queue[0]?.enter()
      // Behind the others.
      if (queue.length > 0) {
        this.#waiting.delete(key)
        this.#waiting.set(key, queue)
      }
    }
  }

  #away(): DomainError {
    this.#sentAway++
    return new DomainError('UNAVAILABLE', 'the service has too much to do; try again in a moment')
  }
}
