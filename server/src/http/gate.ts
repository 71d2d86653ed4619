import { DomainError } from '../domain/errors.js'

export interface GateLimits {
  /** Requests that are worked on at once. */
  concurrentRequests: number
  /** Requests that wait for their turn; those beyond are sent away at once. */
  waitingRequests: number
  /** Bytes of bodies that are held at once, of requests that are worked on. */
  bytesInFlight: number
  /** How long a request waits for its turn, in milliseconds. */
  waitMs: number
}

interface Waiter {
  bytes: number
  enter: () => void
}

/** Too many requests at once wait, and too many that wait are sent away: memory stays bounded, whatever comes. */
export class Gate {
  readonly #limits: GateLimits
  readonly #waiting: Waiter[] = []
  #inside = 0
  #bytes = 0
  #sentAway = 0

  constructor(limits: GateLimits) {
    this.#limits = limits
  }

  get state() {
    return {
      inside: this.#inside,
      waiting: this.#waiting.length,
      bytes: this.#bytes,
      sentAway: this.#sentAway,
    }
  }

  /** Lets a request in, at once or when it is its turn. Gives what lets it out again. */
  async enter(bytes: number): Promise<() => void> {
    if (!this.#hasRoom(bytes)) await this.#wait(bytes)
    else this.#take(bytes)
    let isOut = false
    return () => {
      if (isOut) return
      isOut = true
      this.#inside--
      this.#bytes -= bytes
      this.#admit()
    }
  }

  #hasRoom(bytes: number): boolean {
    if (this.#inside === 0) return true
    return (
      this.#inside < this.#limits.concurrentRequests &&
      this.#bytes + bytes <= this.#limits.bytesInFlight
    )
  }

  #take(bytes: number): void {
    this.#inside++
    this.#bytes += bytes
  }

  #wait(bytes: number): Promise<void> {
    if (this.#waiting.length >= this.#limits.waitingRequests) throw this.#away()
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        bytes,
        enter: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(this.#away())
      }, this.#limits.waitMs)
      this.#waiting.push(waiter)
    })
  }

  /** First come, first served: a large request is not overtaken by small ones for ever. */
  #admit(): void {
    for (;;) {
      const [first] = this.#waiting
      if (first === undefined || !this.#hasRoom(first.bytes)) return
      this.#waiting.shift()
      this.#take(first.bytes)
      first.enter()
    }
  }

  #away(): DomainError {
    this.#sentAway++
    return new DomainError('UNAVAILABLE', 'the service has too much to do; try again in a moment')
  }
}

/** What a body that does not say its length is taken for, and how much a compressed one grows. */
const UNKNOWN_BYTES = 1_000_000
const GROWTH = 10

/** About how much memory a body will take. */
export const sizeOf = (headers: Headers, mostBytes: number): number => {
  const length = Number(headers.get('content-length') ?? UNKNOWN_BYTES)
  const isPacked = headers.has('content-encoding')
  return Math.min(mostBytes, Number.isFinite(length) ? length * (isPacked ? GROWTH : 1) : mostBytes)
}
