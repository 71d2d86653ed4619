import { LRUCache } from 'lru-cache'

/**
 * The most that one may be ahead of the others, in milliseconds. Beyond it, time is forgiven: whoever worked long while
 * nobody waited does not pay for all of it later.
 */
const MOST_AHEAD_MS = 250
/** Keys whose time is known. Of those used longest ago it is forgotten: anybody may come with any number of keys. */
const MAX_KEYS = 1000

interface Use {
  ms: number
  running: number
  /** Sum of the times when those under way began. */
  began: number
}

/**
 * The time that each key has used, to choose the next one by. Time that a key did not ask for is not saved up: from one
 * that is new or comes back, nothing is known but that it is not ahead.
 */
export class UsedTime {
  readonly #now: () => number
  readonly #uses = new LRUCache<string, Use>({ max: MAX_KEYS })
  /** The time of the key that was chosen last; no key that waits has less. */
  #least = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns a key's time, to be compared with that of others. */
  of(key: string): number {
    const use = this.#uses.get(key)
    if (use === undefined) return this.#least
    const ms = use.ms + use.running * this.#now() - use.began
    return Math.min(Math.max(ms, this.#least), this.#least + MOST_AHEAD_MS)
  }

  /** Returns the key that has used the least time; of equals the first. */
  least(keys: Iterable<string>): string | undefined {
    let found: string | undefined
    let least = Number.POSITIVE_INFINITY
    for (const key of keys) {
      const used = this.of(key)
      if (used >= least) continue
      found = key
      least = used
    }
    return found
  }

  /** Notes that a key, which has the least time of those that wait, is the next. */
  choose(key: string): void {
    this.#least = this.of(key)
  }

  /** Counts a key's time until the returned function is called. */
  begin(key: string): () => void {
    const ms = this.of(key)
    const now = this.#now()
    const use = this.#uses.get(key) ?? { ms, running: 0, began: 0 }
    this.#uses.set(key, use)
    if (use.running === 0) use.ms = ms
    use.running++
    use.began += now
    return () => {
      use.ms += this.#now() - now
      use.running--
      use.began -= now
      if (use.running === 0) use.ms = this.of(key)
    }
  }
}
