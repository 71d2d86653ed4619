import { UsedTime } from './used-time.js'

/** Takes the place of a key in the service's own work: commits of steps, look-ups of keys, upkeep. */
export const OWN = ''

/** Returns a place; a second call does nothing. */
export type Leave = () => void

export interface PlacesOptions {
  count: number
  /** Places that are reserved for the service's own work. */
  reserved?: number
  /** Returns true when a key that has so many places may have another one, of so many that are free. */
  mayTake: (taken: number, free: number) => boolean
  /**
   * A clock, in milliseconds: those that have used less time go first. Without one, turns alone count, whatever each of
   * them takes.
   */
  now?: () => number
}

/** All keys together, beside the service's own work. */
const KEYS = 'keys'

interface Waiter {
  admit: () => void
  refuse: (reason: unknown) => void
}

/**
 * A limited number of places. Waiting keys take turns, however many requests each of them has waiting. The service's
 * own work gets every other place that becomes free while it waits, so that neither side starves; with a clock, as much
 * time as all keys together, and each key as much as the others.
 */
export class Places {
  readonly #count: number
  readonly #reserved: number
  readonly #mayTake: PlacesOptions['mayTake']
  readonly #takenBy = new Map<string, number>()
  /** By key; the first key's turn is next. */
  readonly #waiting = new Map<string, Waiter[]>()
  #taken = 0
  #waitingCount = 0
  #wasOwn = false
  readonly #used: UsedTime
  /** Of the service's own work, and of all keys. */
  readonly #sides: UsedTime

  constructor({ count, reserved = 0, mayTake, now = () => 0 }: PlacesOptions) {
    this.#used = new UsedTime(now)
    this.#sides = new UsedTime(now)
    this.#count = count
    this.#reserved = reserved
    this.#mayTake = mayTake
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#waitingCount
  }

  /** Takes a place, if a key may have one at once. */
  take(key: string): Leave | undefined {
    return this.#hasRoom(key) ? this.#take(key) : undefined
  }

  /** Waits in line for a place. Rejects with the signal's reason when that comes first. */
  wait(key: string, signal?: AbortSignal): Promise<Leave> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason)
        return
      }
      const giveUp = () => waiter.refuse(signal?.reason)
      const waiter: Waiter = {
        admit: () => {
          signal?.removeEventListener('abort', giveUp)
          resolve(this.#take(key))
        },
        refuse: (reason) => {
          signal?.removeEventListener('abort', giveUp)
          this.#remove(key, waiter)
          reject(reason)
        },
      }
      signal?.addEventListener('abort', giveUp)
      const line = this.#waiting.get(key)
      if (line === undefined) this.#waiting.set(key, [waiter])
      else line.push(waiter)
      this.#waitingCount++
      this.#admit()
    })
  }

  /** Returns the key with the longest line, counting one more for the given key. */
  longestWith(key: string): string {
    let [longest, most] = [key, (this.#waiting.get(key)?.length ?? 0) + 1]
    for (const [other, { length }] of this.#waiting)
      if (length > most) [longest, most] = [other, length]
    return longest
  }

  /** Rejects the last one that waits for a key. */
  refuseLast(key: string, reason: unknown): void {
    this.#waiting.get(key)?.at(-1)?.refuse(reason)
  }

  #hasRoom(key: string): boolean {
    if (this.#taken >= this.#count) return false
    if (key === OWN) return true
    const takenByKeys = this.#taken - (this.#takenBy.get(OWN) ?? 0)
    const free = Math.min(this.#count - this.#reserved - takenByKeys, this.#count - this.#taken)
    return free > 0 && this.#mayTake(this.#takenBy.get(key) ?? 0, free)
  }

  #take(key: string): Leave {
    this.#taken++
    this.#takenBy.set(key, (this.#takenBy.get(key) ?? 0) + 1)
    const ends = [this.#used.begin(key), this.#sides.begin(sideOf(key))]
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      for (const end of ends) end()
      this.#taken--
      const left = (this.#takenBy.get(key) ?? 1) - 1
      if (left === 0) this.#takenBy.delete(key)
      else this.#takenBy.set(key, left)
      this.#admit()
    }
  }

  #remove(key: string, waiter: Waiter): void {
    const line = this.#waiting.get(key) ?? []
    line.splice(line.indexOf(waiter), 1)
    if (line.length === 0) this.#waiting.delete(key)
    this.#waitingCount--
  }

  #admit(): void {
    for (let key = this.#next(); key !== undefined; key = this.#next()) {
      const line = this.#waiting.get(key) ?? []
      const waiter = line.shift()
      this.#waitingCount--
      // Moves the key behind the others.
      this.#waiting.delete(key)
      if (line.length > 0) this.#waiting.set(key, line)
      this.#wasOwn = key === OWN
      if (key !== OWN) this.#used.choose(key)
      this.#sides.choose(sideOf(key))
      waiter?.admit()
    }
  }

  #next(): string | undefined {
    const key = this.#nextKey()
    if (!this.#waiting.has(OWN) || !this.#hasRoom(OWN)) return key
    if (key === undefined) return OWN
    const ahead = this.#sides.of(OWN) - this.#sides.of(KEYS)
    return ahead < 0 || (ahead === 0 && !this.#wasOwn) ? OWN : key
  }

  /** Returns the key that has used the least time; of equals, the one whose last turn is longest ago. */
  #nextKey(): string | undefined {
    const keys = [...this.#waiting.keys()]
    return this.#used.least(keys.filter((key) => key !== OWN && this.#hasRoom(key)))
  }
}

const sideOf = (key: string): string => (key === OWN ? OWN : KEYS)
