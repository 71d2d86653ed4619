import type { ThreadRecord } from '../tracing/recorder.js'
import type { ThreadItem } from './batch.js'

/** Changes of threads on their way. Those of one thread are put together, and never two of them are under way at once. */
export class ThreadChanges {
  readonly #waiting = new Map<string, ThreadItem>()
  readonly #underWay = new Set<string>()

  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#underWay.size === 0
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  add(record: ThreadRecord, mark: number | undefined): void {
    const earlier = this.#waiting.get(record.id)?.record
    this.#waiting.set(record.id, { record: merged(earlier, record), mark })
  }

  /** Takes those of threads of which nothing is under way. */
  take(): ThreadItem[] {
    const taken: ThreadItem[] = []
    for (const [id, item] of this.#waiting) {
      if (this.#underWay.has(id)) continue
      this.#waiting.delete(id)
      this.#underWay.add(id)
      taken.push(item)
    }
    return taken
  }

  settle(threads: readonly ThreadItem[]): void {
    for (const { record } of threads) this.#underWay.delete(record.id)
  }
}

const merged = (earlier: ThreadRecord | undefined, later: ThreadRecord): ThreadRecord => {
  if (earlier === undefined) return later
  const both: Record<string, unknown> = { ...earlier }
  for (const [key, value] of Object.entries(later)) if (value !== undefined) both[key] = value
  return both as unknown as ThreadRecord
}
