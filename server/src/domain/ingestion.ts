import type { Database } from '../storage/database.js'
import { isConflict, isOutage } from '../storage/failures.js'
import { withoutTimeLimit, withTimeLimit } from '../storage/time-limit.js'
import { writeBatch } from './batch.js'
import type { Refusal } from './errors.js'
import type { Fragment } from './fragments.js'
import type { Clock } from './instant.js'
import { keyOf } from './merging.js'
import { harmless, type Report } from './reports.js'

/** What one commit holds at most, so that a burst neither blocks readers for long nor builds one huge statement. */
const MOST_STEPS = 2000
const MOST_CHARACTERS = 8_000_000
/** How many of those that wait are looked at for a commit: the first may all be of steps that running ones have. */
const MAX_LOOKED_AT = 2 * MOST_STEPS
/** How often a transaction is tried that others were in the way of. */
const MOST_ATTEMPTS = 5
/** What a part of a batch gets at least, when little of its time is left. */
const LEAST_MS = 250

interface Waiting {
  fragment: Fragment
  /** Which step it is of. */
  key: string
  settle: (refusal: Refusal | null) => void
}

export interface IngestionOptions {
  /** Transactions at once. */
  writers: number
  /** How long the steps that share a transaction may take in all, with whatever is tried again of them. */
  commitMs: number
  report: Report
  /** Is told after each commit how many steps it had. */
  wrote: (steps: number) => void
}

/**
 * Stores steps. While as many transactions run as may at once, what arrives waits and then shares the next one, whichever
 * request it came with: many small requests cost no more than a large one. What is said of one step is stored in the
 * order in which it came. Whoever waits is told only after the commit.
 */
export class Ingestion {
  readonly #db: Database
  readonly #clock: Clock
  readonly #options: IngestionOptions
  readonly #report: Report
  #waiting: Waiting[] = []
  #isStarting = false
  readonly #running = new Set<Promise<void>>()
  /** The steps of running transactions. */
  readonly #inFlight = new Set<string>()

  constructor(db: Database, clock: Clock, options: IngestionOptions) {
    this.#db = db
    this.#clock = clock
    this.#options = options
    this.#report = harmless(options.report)
  }

  /** Gives for each fragment null once it is stored, or why it could not be. */
  store(fragments: readonly Fragment[]): Promise<(Refusal | null)[]> {
    const outcomes = Promise.all(
      fragments.map(
        (fragment) =>
          new Promise<Refusal | null>((settle) => {
            const key = keyOf(fragment.projectId, fragment.id)
            this.#waiting.push({ fragment, key, settle })
          }),
      ),
    )
    if (!this.#isStarting) {
      this.#isStarting = true
      // One turn of the event loop lets requests that arrived together share the first transaction too.
      setImmediate(() =>
        withoutTimeLimit(() => {
          this.#isStarting = false
          this.#start()
        }),
      )
    }
    return outcomes
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#isStarting || this.#running.size > 0) {
      await Promise.all(this.#running)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  #start(): void {
    while (this.#running.size < this.#options.writers) {
      const batch = this.#takeBatch()
      if (batch.length === 0) return
      for (const { key } of batch) this.#inFlight.add(key)
      const run = this.#commit(batch)
        .catch(this.#report)
        .then(() => {
          for (const { key } of batch) this.#inFlight.delete(key)
          this.#running.delete(run)
          this.#start()
        })
      this.#running.add(run)
    }
  }

  /** Takes the oldest of what waits, without the steps that a running transaction has: what is said of one keeps its order. */
  #takeBatch(): Waiting[] {
    const batch: Waiting[] = []
    const passed: Waiting[] = []
    const held = new Set<string>()
    let characters = 0
    for (const one of this.#waiting) {
      const { key, fragment } = one
      if (batch.length >= MOST_STEPS || batch.length + passed.length >= MAX_LOOKED_AT) break
      if (this.#inFlight.has(key) || held.has(key)) {
        held.add(key)
        passed.push(one)
        continue
      }
      if (batch.length > 0 && characters + fragment.size > MOST_CHARACTERS) break
      characters += fragment.size
      batch.push(one)
    }
    if (batch.length > 0) this.#waiting.splice(0, batch.length + passed.length, ...passed)
    return batch
  }

  /**
   * Commits a batch; when that fails, its halves, so that whatever is wrong with one step keeps no other out. Each attempt
   * gets half of the time that is left, so that one which is blocked leaves some for the others.
   */
  async #commit(
    batch: Waiting[],
    deadline = performance.now() + this.#options.commitMs,
    attempt = 1,
  ): Promise<void> {
    const leftMs = deadline - performance.now()
    try {
      await withTimeLimit(Math.max(leftMs / 2, LEAST_MS), () =>
        this.#db.transaction().execute((transaction) =>
          writeBatch(
            transaction,
            this.#clock,
            batch.map(({ fragment }) => fragment),
          ),
        ),
      )
    } catch (error) {
      if (isConflict(error) && attempt < MOST_ATTEMPTS)
        return this.#commit(batch, deadline, attempt + 1)
      const middle = Math.ceil(batch.length / 2)
      // While the database is away, every part of the batch would fail, and wait to fail.
      if (batch.length > 1 && !isOutage(error) && performance.now() < deadline) {
        await this.#commit(batch.slice(0, middle), deadline)
        await this.#commit(batch.slice(middle), deadline)
        return
      }
      const message = 'the service could not store this step; send it again'
      for (const { settle } of batch) settle({ code: 'UNAVAILABLE', message })
      this.#report(error)
      return
    }
    for (const { settle } of batch) settle(null)
    // A failure of whoever is told must not commit the batch once more, nor keep its other half from it.
    try {
      this.#options.wrote(batch.length)
    } catch (error) {
      this.#report(error)
    }
  }
}
