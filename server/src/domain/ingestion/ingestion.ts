import type { Database } from '../../database/database.js'
import { isConflict, isLocked, isOutage, isTooLong } from '../../database/failures.js'
import { withoutTimeLimit, withTimeLimit } from '../../database/task.js'
import { limitLockWait } from '../../database/transactions/attempts.js'
import { DomainError, type Refusal } from '../../kernel/errors.js'
import type { Clock } from '../../kernel/instant.js'
import { harmless, type Report } from '../../kernel/watching/reports.js'
import type { ProjectPrices } from '../prices/project-prices.js'
import { byProject, halvesOf } from './batches.js'
import { CommitQueue } from './commit-queue.js'
import { HeldProjects } from './held-projects.js'
import { keyOf } from './merging.js'
import { PartedOutcome, partsOf } from './patch-parts.js'
import type { StepPatch } from './step-patch.js'
import { writeBatch } from './step-writer.js'

/** Attempts at a transaction that conflicted with others. */
const MAX_ATTEMPTS = 5
/** The least time for a part of a batch, when little is left. */
const MIN_MS = 250
/** Time that a commit waits for a locked row, before its projects continue separately. */
const LOCK_MS = 500
/** The same while other projects wait behind the commit. */
const SHORT_LOCK_MS = 100
/** Number of commits that stay small after others had to wait for a connection. */
const SMALL_COMMITS = 50
/** Time that a writer searches for the projects with locked rows. */
const DIVISION_MS = 2000

interface Waiting {
  patch: StepPatch
  number?: number
  /** The moment of its arrival, by the clock of the process. */
  since: number
  settle: (refusal: Refusal | null) => void
  /** Set if it is a part of a patch. */
  whole?: PartedOutcome
}

export interface IngestionOptions {
  /** Transactions at once. */
  writers: number
  /** Time limit for storing the steps of a transaction, attempts included. */
  commitMs: number
  /**
   * Set if other processes may lock rows of a commit, which never happens in the one session of the embedded engine.
   */
  mayBeHeld?: boolean
  /** Returns how often others had to wait for a connection; absent if a commit leaves them some. */
  waits?: () => number
  report: Report
  /** Absent if calls are priced later. */
  prices?: ProjectPrices
  /** Called after each commit with the number of its steps. */
  wrote: (steps: number) => void
}

/**
 * Stores steps. While the maximum of transactions runs, new patches wait and share the next one, whichever request they
 * came with: many small requests cost no more than a large one. The patches of one step are stored in the order in
 * which they came. Callers are notified after the commit. A project that has to wait for a locked row does not delay
 * any other.
 */
export class Ingestion {
  readonly #db: Database
  readonly #clock: Clock
  readonly #options: IngestionOptions
  readonly #report: Report
  readonly #waiting = new CommitQueue<Waiting>()
  #isStarting = false
  readonly #running = new Set<Promise<void>>()
  readonly #held: HeldProjects<Waiting>
  #waits = 0
  #smallCommits = 0
  readonly #unsettled = new Set<Waiting>()
  #stored = 0
  #storedLagMs = 0

  constructor(db: Database, clock: Clock, options: IngestionOptions) {
    this.#db = db
    this.#clock = clock
    this.#options = options
    this.#report = harmless(options.report)
    this.#held = new HeldProjects({
      more: (projectId) => ({
        items: this.#waiting.take((other) => other === projectId),
        deadline: this.#deadline(),
      }),
      commit: (batch, deadline) => this.#commitApart(batch, deadline, LOCK_MS),
      refuse: (batch) => {
        this.#refuse(batch)
        this.#waiting.release(batch)
      },
      freed: () => this.#start(),
      report: this.#report,
    })
  }

  /** Resolves to one entry per patch: null once it is stored, or the refusal. */
  store(patches: readonly StepPatch[]): Promise<(Refusal | null)[]> {
    const outcomes = Promise.all(
      patches.map(
        (patch) =>
          new Promise<Refusal | null>((settle) => {
            for (const item of itemsOf(patch, settle)) {
              this.#unsettled.add(item)
              this.#waiting.push(item)
            }
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

  /** Steps that wait for their commit, those that were stored, and the time between. */
  get state() {
    // A set keeps the order of arrival.
    const [oldest] = this.#unsettled
    return {
      waiting: this.#unsettled.size,
      oldestMs: oldest === undefined ? 0 : performance.now() - oldest.since,
      stored: this.#stored,
      storedLagMs: this.#storedLagMs,
    }
  }

  /** Resolves when nothing is waiting. */
  async idle(): Promise<void> {
    while (this.#isStarting || this.#running.size + this.#held.runs.size > 0) {
      await Promise.all([...this.#running, ...this.#held.runs])
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  #start(): void {
    while (this.#running.size < this.#options.writers) {
      const isAwaited = this.#isAwaited()
      const batch = this.#waiting.take((projectId) => !this.#held.has(projectId), isAwaited)
      if (batch.length === 0) return
      const run = this.#run(batch, this.#deadline())
        .catch(this.#report)
        .then(() => {
          this.#running.delete(run)
          this.#start()
        })
      this.#running.add(run)
    }
  }

  /** Returns true when others need the connection of a commit, and so wait until it is through. */
  #isAwaited(): boolean {
    const waits = this.#options.waits?.() ?? 0
    this.#smallCommits = waits > this.#waits ? SMALL_COMMITS : Math.max(0, this.#smallCommits - 1)
    this.#waits = waits
    return this.#smallCommits > 0
  }

  #deadline(): number {
    return performance.now() + this.#options.commitMs
  }

  /** Commits a batch, and sets aside the projects with locked rows. */
  async #run(batch: Waiting[], deadline: number): Promise<void> {
    const held = await this.#commitApart(batch, deadline, LOCK_MS)
    if (held.length > 0) await this.#divide(held, deadline, performance.now() + DIVISION_MS)
  }

  async #divide(batch: Waiting[], deadline: number, until: number): Promise<void> {
    const projects = byProject(batch)
    if (projects.length === 1 || performance.now() > until) {
      for (const [projectId, part] of projects) this.#held.add(projectId, part, deadline)
      return
    }
    for (const half of halvesOf(batch)) {
      const held = await this.#commitApart(half, deadline, SHORT_LOCK_MS)
      if (held.length > 0) await this.#divide(held, deadline, until)
    }
  }

  /** Commits all but the items with locked rows, releases it, and returns the others. */
  async #commitApart(batch: Waiting[], deadline: number, lockMs: number): Promise<Waiting[]> {
    let held: Waiting[] = []
    try {
      held = await this.#commit(batch, deadline, lockMs)
    } finally {
      // A step stays whole, so that its patches are stored in order.
      const steps = new Set(held.map(keyOfStep))
      this.#waiting.release(batch.filter((item) => !steps.has(keyOfStep(item))))
    }
    return held
  }

  /**
   * Commits a batch; when that fails, its halves, so that one bad step or project keeps as few others out as possible.
   * Each attempt gets half of the time that is left, so that a blocked one leaves some for the others. Returns the
   * items whose rows another transaction has locked.
   */
  async #commit(
    batch: Waiting[],
    deadline: number,
    lockMs: number,
    attempt = 1,
  ): Promise<Waiting[]> {
    const leftMs = deadline - performance.now()
    try {
      await withTimeLimit(Math.max(leftMs / 2, MIN_MS), () =>
        this.#db.transaction().execute(async (transaction) => {
          if (this.#options.mayBeHeld) await limitLockWait(transaction, lockMs)
          await writeBatch(
            transaction,
            this.#clock,
            // Nothing more of a patch that was refused in part, which its client sends again as a whole.
            batch
              .filter(({ whole }) => !whole?.isRefused)
              .map(({ patch }) => patch),
            this.#options.prices,
          )
        }),
      )
    } catch (error) {
      if (isLocked(error)) return batch
      if (isConflict(error) && attempt < MAX_ATTEMPTS)
        return this.#commit(batch, deadline, lockMs, attempt + 1)
      // During an outage every part of the batch would fail too, after waiting for it.
      if (batch.length > 1 && !isOutage(error) && performance.now() < deadline) {
        const [first, second] = halvesOf(batch)
        const held = await this.#commit(first, deadline, lockMs)
        // The second half may have later patches of the same steps.
        const rest = held.length > 0 ? second : await this.#commit(second, deadline, lockMs)
        return [...held, ...rest]
      }
      this.#refuse(batch, error)
      if (!isTooLong(error)) this.#report(error)
      return []
    }
    const now = performance.now()
    for (const item of batch) {
      this.#unsettled.delete(item)
      this.#stored++
      this.#storedLagMs += now - item.since
      item.settle(null)
    }
    // A failure of the listener must neither commit the batch again nor keep its other half out.
    try {
      this.#options.wrote(batch.filter(({ patch }) => !patch.continues).length)
    } catch (error) {
      this.#report(error)
    }
    return []
  }

  #refuse(batch: readonly Waiting[], error?: unknown): void {
    // Faults of the whole database have words for callers; others are for the log.
    const message =
      error instanceof DomainError && isOutage(error)
        ? `the service could not store this step: ${error.message}`
        : 'the service could not store this step; send it again'
    const refusal: Refusal = isTooLong(error) ? error : { code: 'UNAVAILABLE', message }
    for (const item of batch) {
      this.#unsettled.delete(item)
      item.settle({ code: refusal.code, message: refusal.message })
    }
  }
}

const itemsOf = (patch: StepPatch, settle: Waiting['settle']): Waiting[] => {
  const parts = partsOf(patch)
  const since = performance.now()
  if (parts.length === 1) return [{ patch, since, settle }]
  const whole = new PartedOutcome(parts.length, settle)
  return parts.map((part) => ({
    patch: part,
    since,
    settle: (refusal) => whole.add(refusal),
    whole,
  }))
}

const keyOfStep = ({ patch: { projectId, id } }: Waiting): string => keyOf(projectId, id)
