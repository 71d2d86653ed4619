import type { Database } from '../storage/database.js'
import { isConflict, isOutage } from '../storage/failures.js'
import { withoutTimeLimit, withTimeLimit } from '../storage/time-limit.js'
import { writeBatch } from './batch.js'
import { CommitQueue } from './commit-queue.js'
import type { Refusal } from './errors.js'
import type { Fragment } from './fragments.js'
import type { Clock } from './instant.js'
import { harmless, type Report } from './reports.js'

/** How often a transaction is tried that others were in the way of. */
const MOST_ATTEMPTS = 5
/** What a part of a batch gets at least, when little of its time is left. */
const LEAST_MS = 250

interface Waiting {
  fragment: Fragment
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
  readonly #waiting = new CommitQueue<Waiting>()
  #isStarting = false
  readonly #running = new Set<Promise<void>>()

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
          new Promise<Refusal | null>((settle) => this.#waiting.push({ fragment, settle })),
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
      const batch = this.#waiting.take()
      if (batch.length === 0) return
      const run = this.#commit(batch)
        .catch(this.#report)
        .then(() => {
          this.#waiting.release(batch)
          this.#running.delete(run)
          this.#start()
        })
      this.#running.add(run)
    }
  }

  /**
   * Commits a batch; when that fails, its halves, so that whatever is wrong with one step keeps no other out, and with one
   * project no other one, as far as can be. Each attempt gets half of the time that is left, so that one which is blocked leaves some for the others.
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
      // While the database is away, every part of the batch would fail, and wait to fail.
      if (batch.length > 1 && !isOutage(error) && performance.now() < deadline) {
        for (const half of halvesOf(batch)) await this.#commit(half, deadline)
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

/** Of several projects those with the fewest fragments apart, and first; of one project the earlier half. */
const halvesOf = (batch: readonly Waiting[]): Waiting[][] => {
  const counts = new Map<string, number>()
  for (const { fragment } of batch)
    counts.set(fragment.projectId, (counts.get(fragment.projectId) ?? 0) + 1)
  if (counts.size === 1) {
    const middle = Math.ceil(batch.length / 2)
    return [batch.slice(0, middle), batch.slice(middle)]
  }
  const projects = [...counts].sort(([, a], [, b]) => a - b).map(([projectId]) => projectId)
  const small = new Set(projects.slice(0, Math.floor(projects.length / 2)))
  return [
    batch.filter(({ fragment }) => small.has(fragment.projectId)),
    batch.filter(({ fragment }) => !small.has(fragment.projectId)),
  ]
}
