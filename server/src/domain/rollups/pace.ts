import { LRUCache } from 'lru-cache'
import type { Instant } from '../../kernel/instant.js'
import type { MarkGroup } from '../../storage/rollups/marks.js'

/** Spans that are remembered: each took long to measure, so that there are never many. */
const MAX_RESTING = 1000

/**
 * Keeps spans that took long to measure from being measured again at once: a write into one costs little, and has all of its
 * rows read again. They stay marked meanwhile, and are read from their rows.
 */
export class Pace {
  readonly #factor: number
  readonly #resting = new LRUCache<string, MarkGroup & { start: Instant }>({ max: MAX_RESTING })

  /** Takes the time that a span rests, as a multiple of the time that its measuring took. */
  constructor(factor: number) {
    this.#factor = factor
  }

  /** Lets a span rest that was measured just now. */
  rest(group: MarkGroup, start: Instant, tookMs: number): void {
    const ttl = Math.floor(tookMs * this.#factor)
    // The cache takes none as "for ever".
    if (ttl > 0) this.#resting.set(JSON.stringify([group, start]), { ...group, start }, { ttl })
  }

  /** Returns the spans of a group that rest. */
  resting({ projectId, source, seconds }: MarkGroup): Instant[] {
    this.#resting.purgeStale()
    return [...this.#resting.values()]
      .filter((one) => one.projectId === projectId && one.source === source)
      .filter((one) => one.seconds === seconds)
      .map(({ start }) => start)
  }
}
