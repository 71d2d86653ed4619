import type { Caller } from '../kernel/caller.js'

/** Time in which a caller who was told that there is no such user may create it. */
const MISSED_MS = 10_000
/** Lookups that are remembered, and the longest identifier among them. */
const MAX_MISSED = 1000
const MAX_IDENTIFIER_CHARACTERS = 1000

interface Miss {
  count: number
  until: number
}

/**
 * Lookups of users that found none. Released clients get or create a user by two requests: a lookup, and a creation when it
 * finds none. Of several at once, all but one come too late to create it, and never expect to hear that it exists.
 */
export class MissedUsers {
  /** In the order of their ends. */
  readonly #misses = new Map<string, Miss>()

  /** Notes that a caller was told that there is no user with an identifier. */
  note(caller: Caller, identifier: string): void {
    if (identifier.length > MAX_IDENTIFIER_CHARACTERS) return
    const key = keyOf(caller, identifier)
    const now = performance.now()
    const known = this.#misses.get(key)
    const count = known === undefined || known.until < now ? 1 : known.count + 1
    this.#misses.delete(key)
    this.#misses.set(key, { count, until: now + MISSED_MS })
    for (const [oldest, { until }] of this.#misses) {
      if (until >= now && this.#misses.size <= MAX_MISSED) return
      this.#misses.delete(oldest)
    }
  }

  /** Returns true when a caller was told so a moment ago: once for each lookup. */
  take(caller: Caller, identifier: string): boolean {
    const key = keyOf(caller, identifier)
    const miss = this.#misses.get(key)
    if (miss === undefined) return false
    if (miss.count <= 1) this.#misses.delete(key)
    miss.count -= 1
    return miss.until >= performance.now()
  }
}

const keyOf = ({ projectId, keyId }: Caller, identifier: string): string =>
  JSON.stringify([projectId, keyId, identifier])
