import type { ThreadRecord } from '../../outbox/records.js'
import { mergedChanges } from '../../outbox/thread-changes.js'

/** Limit of remembered threads. */
const MAX_THREADS = 1000

interface Held {
  /** Its changes, merged as far as possible; undefined once they are recorded. */
  records: ThreadRecord[] | undefined
  /** True when it has steps, which decide if it is kept. */
  hasSteps: boolean
}

/** Threads that wait for a step of theirs to be kept: if sampling drops all of them, the thread would be empty. */
export class HeldThreads {
  readonly #threads = new Map<string, Held>()

  /** Holds the change of a thread that has to wait; returns false for one that need not. */
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

  /** Notes that a step was created in a thread. */
  noteStep(id: string | undefined): void {
    const held = id === undefined ? undefined : this.#threads.get(id)
    if (held !== undefined) held.hasSteps = true
  }

  /** Takes the held changes of a thread, which can now be recorded. */
  take(id: string | undefined): ThreadRecord[] {
    const held = id === undefined ? undefined : this.#threads.get(id)
    const records = held?.records ?? []
    if (held !== undefined) held.records = undefined
    return records
  }

  /** Marks a thread as recorded, even if its steps are dropped. */
  keep(id: string): void {
    this.#threads.set(id, { records: undefined, hasSteps: true })
    this.#forgetOldest()
  }

  /** Takes the held changes of a thread without steps. */
  takeEmpty(id: string): ThreadRecord[] {
    return this.#threads.get(id)?.hasSteps === false ? this.take(id) : []
  }

  #forgetOldest(): void {
    const [oldest] = this.#threads.keys()
    if (oldest !== undefined && this.#threads.size > MAX_THREADS) this.#threads.delete(oldest)
  }
}
