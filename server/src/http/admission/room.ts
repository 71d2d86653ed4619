import { DomainError } from '../../kernel/errors.js'

export interface RoomLimits {
  /** Bytes that are held at once. */
  bytesInFlight: number
  /** Bodies of one key that may be under way, in addition to `concurrentRequests`. */
  waitingRequests: number
  concurrentRequests: number
  /** Time that a body waits for room, in milliseconds. */
  waitMs: number
}

interface Waiter {
  hold: Hold
  bytes: number
  go: () => void
  reject: () => void
}

/**
 * The memory for bodies and the values read from them. It is taken as bytes arrive, not as they are announced. A key
 * may hold as much as is left free: one alone half of it, two a third each, so that there always is room for another
 * one. Only the oldest body of all gets all it needs, so that bodies never wait for each other in a circle.
 */
export class Room {
  readonly #limits: RoomLimits
  /** The oldest first. */
  readonly #holds = new Set<Hold>()
  readonly #keys = new Map<string, { bytes: number; bodies: number }>()
  readonly #waiting = new Set<Waiter>()
  #bytes = 0
  #rejected = 0

  constructor(limits: RoomLimits) {
    this.#limits = limits
  }

  get state() {
    return { bytes: this.#bytes, waiting: this.#waiting.size, rejected: this.#rejected }
  }

  /** Begins a body, which holds nothing yet. */
  open(key: string): Hold {
    const used = this.#keys.get(key) ?? { bytes: 0, bodies: 0 }
    const { waitingRequests, concurrentRequests } = this.#limits
    if (used.bodies >= waitingRequests + concurrentRequests) throw this.#away()
    used.bodies++
    this.#keys.set(key, used)
    const hold: Hold = new Hold(
      key,
      (bytes) => this.#take(hold, bytes),
      () => this.#close(hold),
    )
    this.#holds.add(hold)
    return hold
  }

  #take(hold: Hold, bytes: number): Promise<void> | undefined {
    if (this.#hasRoom(hold, bytes)) {
      this.#add(hold, bytes)
      return undefined
    }
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        this.#waiting.delete(waiter)
      }
      const waiter: Waiter = {
        hold,
        bytes,
        go: () => {
          end()
          resolve()
        },
        reject: () => {
          end()
          reject(this.#away())
        },
      }
      const timer = setTimeout(waiter.reject, this.#limits.waitMs)
      this.#waiting.add(waiter)
    })
  }

  #hasRoom(hold: Hold, bytes: number): boolean {
    const [oldest] = this.#holds
    if (hold === oldest) return true
    const own = this.#keys.get(hold.key)?.bytes ?? 0
    return own + bytes <= this.#limits.bytesInFlight - this.#bytes
  }

  #add(hold: Hold, bytes: number): void {
    hold.bytes += bytes
    this.#bytes += bytes
    const used = this.#keys.get(hold.key)
    if (used !== undefined) used.bytes += bytes
  }

  #close(hold: Hold): void {
    if (!this.#holds.delete(hold)) return
    this.#bytes -= hold.bytes
    const used = this.#keys.get(hold.key)
    if (used !== undefined) {
      used.bytes -= hold.bytes
      used.bodies--
      if (used.bodies === 0) this.#keys.delete(hold.key)
    }
    for (const waiter of [...this.#waiting]) {
      // A body that has ended otherwise needs no room any more.
      if (!this.#holds.has(waiter.hold)) {
        waiter.reject()
        continue
      }
      if (!this.#hasRoom(waiter.hold, waiter.bytes)) continue
      this.#add(waiter.hold, waiter.bytes)
      waiter.go()
    }
  }

  #away(): DomainError {
    this.#rejected++
    return new DomainError('UNAVAILABLE', 'the service is overloaded; try again in a moment')
  }
}

/** The memory of one body. */
export class Hold {
  readonly key: string
  bytes = 0
  /** Takes more room, at once or when some is free. Rejects after waiting too long. */
  readonly grow: (bytes: number) => Promise<void> | undefined
  /** Releases all its room. */
  readonly close: () => void

  constructor(key: string, grow: Hold['grow'], close: Hold['close']) {
    this.key = key
    this.grow = grow
    this.close = close
  }
}
