import type { ThreadRecord } from '../../outbox/records.js'
import { mergedChanges } from '../../outbox/thread-changes.js'

/** Limit of remembered threads. */
const MAX_THREADS = 1000

interface Held {
  /** Its changes, as few as they can be; undefined once they are recorded. */
  records: ThreadRecord[] | undefined
  /** Steps were made in it, whose fate is its own. */
  hasSteps: boolean
}

/** Threads that wait for a step of theirs to be kept: where sampling lets all of them go, there is nothing to be in it. */
export class HeldThreads {
  readonly #threads = new Map<string, Held>()

  /** Keeps the change of a thread that has to wait; returns false for one that need not. */
  hold(record: ThreadRecord): boolean {
    const held = this.#threads.get(record.id)
    if (held !== undefined && held.records === undefined) return false
    const { records = [], hasSteps = false } = held ?? {}
    const last = records.pop()
    const one = last && mergedChanges(last, record)
    if (one !== undefined) records.push(one)
    else if (last === undefined) records.push(record)
    else records.push(last, record)
    this.#threads.delete(record.id)
    this.#threads.set(record.id, { records, hasSteps })
    this.#forgetOldest()
    return true
  }

  /** Notes that a step was made in a thread. */
  noteStep(id: string | undefined): void {
    const held = id === undefined ? undefined : this.#threads.get(id)
    if (held !== undefined) held.hasSteps = true
  }

  /** Takes the held changes of a thread, which are to be recorded now. */
  take(id: string | undefined): ThreadRecord[] {
    const held = id === undefined ? undefined : this.#threads.get(id)
    const records = held?.records ?? []
    if (held !== undefined) held.records = undefined
    return records
  }

  /** Notes that a thread is recorded, whatever becomes of its steps. */
  keep(id: string): void {
    this.#threads.set(id, { records: undefined, hasSteps: true })
    this.#forgetOldest()
  }

  /** Takes the held changes of a thread in which no step was made. */
  takeEmpty(id: string): ThreadRecord[] {
    return this.#threads.get(id)?.hasSteps === false ? this.take(id) : []
  }

  #forgetOldest(): void {
    const [oldest] = this.#threads.keys()
    if (oldest !== undefined && this.#threads.size > MAX_THREADS) this.#threads.delete(oldest)
  }
}
