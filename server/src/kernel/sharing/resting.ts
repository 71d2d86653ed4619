import { LRUCache } from 'lru-cache'

/** Work that is remembered: each took long, so that there is never much. */
const MAX_RESTING = 1000

/** Keeps work that took long from being done again at once, though it is due: a small change would have all of it done anew. */
export class Resting<Work extends object> {
  readonly #factor: number
  readonly #works = new LRUCache<string, Work>({ max: MAX_RESTING })

  /** Takes the time that work rests, as a multiple of the time that it took. */
  constructor(factor: number) {
    this.#factor = factor
  }

  /** Lets work rest that was done just now. */
  rest(work: Work, tookMs: number): void {
    const ttl = Math.ceil(tookMs * this.#factor)
    // The cache takes none as "for ever".
    if (ttl > 0) this.#works.set(keyOf(work), work, { ttl })
  }

  has(work: Work): boolean {
    return this.#works.has(keyOf(work))
  }

  /** Returns all that rests now. */
  all(): Work[] {
    this.#works.purgeStale()
    return [...this.#works.values()]
  }
}

const keyOf = (work: object): string => JSON.stringify(Object.entries(work).sort())
