import type { ThreadRecord } from '../../outbox/records.js'
import { isPlain } from '../../values/fit.js'

/** More threads than this are not remembered. */
const MAX_THREADS = 1000

interface Held {
  /** Its record; undefined once it is recorded. */
  record: ThreadRecord | undefined
  /** Steps were made in it, whose fate is its own. */
  hasSteps: boolean
}

/** Threads that wait for a step of theirs to be kept: where sampling lets all of them go, there is nothing to be in it. */
export class HeldThreads {
  readonly #threads = new Map<string, Held>()

  /** Keeps the record of a thread that has to wait; returns false for one that need not. */
  hold(record: ThreadRecord): boolean {
    const held = this.#threads.get(record.id)
    if (held !== undefined && held.record === undefined) return false
    this.#threads.delete(record.id)
    this.#threads.set(record.id, {
      record: merged(held?.record, record),
      hasSteps: held?.hasSteps ?? false,
    })
    this.#forgetOldest()
    return true
  }

  /** Notes that a step was made in a thread. */
  noteStep(id: string | undefined): void {
    const held = id === undefined ? undefined : this.#threads.get(id)
    if (held !== undefined) held.hasSteps = true
  }

  /** Takes the held record of a thread, which is to be recorded now. */
  take(id: string | undefined): ThreadRecord | undefined {
    const held = id === undefined ? undefined : this.#threads.get(id)
    const record = held?.record
    if (held !== undefined) held.record = undefined
    return record
  }

  /** Notes that a thread is recorded, whatever becomes of its steps. */
  keep(id: string): void {
    this.#threads.set(id, { record: undefined, hasSteps: true })
    this.#forgetOldest()
  }

  /** Takes the held record of a thread in which no step was made. */
  takeEmpty(id: string): ThreadRecord | undefined {
    return this.#threads.get(id)?.hasSteps === false ? this.take(id) : undefined
  }

  #forgetOldest(): void {
    const [oldest] = this.#threads.keys()
    if (oldest !== undefined && this.#threads.size > MAX_THREADS) this.#threads.delete(oldest)
  }
}

/** Merges changes of one thread, as if they had come one after another. */
const merged = (earlier: ThreadRecord | undefined, later: ThreadRecord): ThreadRecord => {
  const both: Record<string, unknown> = { ...earlier }
  for (const [key, value] of Object.entries(later)) {
    const before = both[key]
    if (key === 'metadata' && isPlain(before) && isPlain(value)) both[key] = { ...before, ...value }
    else if (value !== undefined) both[key] = value
  }
  return both as unknown as ThreadRecord
}
