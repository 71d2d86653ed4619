import type { Loss } from './account.js'
import {
  type Batch,
  holdsOrder,
  type Item,
  isEarlier,
  newBatch,
  type Records,
  reachesBackTo,
  type Session,
  type ThreadChange,
} from './batch.js'
import { Queue } from './queue.js'
import { ThreadChanges } from './thread-changes.js'

export interface BatchLimits {
  maxBatchSteps: number
  maxBatchBytes: number
}

/**
 * @internal Everything that is not delivered: steps and changes of threads that no batch holds yet, waiting batches,
 * and leased batches, which are being sent. Two changes of one thread are never leased at once, and keep their order.
 */
export class Backlog {
  readonly #session: Session
  readonly #limits: BatchLimits
  /** Threads that another process is about to change for an earlier session than this one. */
  readonly #threadsElsewhere: (session: Session) => ReadonlySet<string>
  readonly #queue = new Queue()
  readonly #threads = new ThreadChanges()
  /** Batches that failed or were divided, and those of earlier processes. They go first. */
  #waiting: Batch[] = []
  readonly #leased = new Set<Batch>()
  /** Batches that failed for a reason that the next probe will show. */
  #unexplained: Batch[] = []
  /** Batches with losses from sessions of earlier processes, until they are leased. */
  readonly #telling = new Map<Session, Batch>()
  /** Records up to this place are sent without waiting for more. */
  #dueUpTo = 0
  #last = 0
  /** Changes of threads wait for those that an earlier process may have left. */
  #areThreadsHeld = false

  constructor(
    session: Session,
    limits: BatchLimits,
    threadsElsewhere: (session: Session) => ReadonlySet<string> = () => NONE,
  ) {
    this.#session = session
    this.#threadsElsewhere = threadsElsewhere
    this.#limits = limits
  }

  get leased(): ReadonlySet<Batch> {
    return this.#leased
  }

  /** True when nothing is left: no step, no change of a thread, no end of an earlier session. */
  get isEmpty(): boolean {
    if (this.#queue.length > 0 || !this.#threads.isEmpty) return false
    for (const { items, threads, isEnd } of this.#batches())
      if (items.length + threads.length > 0 || isEnd) return false
    return true
  }

  /** True when there is no batch and none can be made. */
  get hasNothingToSend(): boolean {
    return (
      this.#waiting.length + this.#unexplained.length + this.#queue.length === 0 &&
      this.#threads.isEmpty
    )
  }

  get hasFullBatch(): boolean {
    const { maxBatchSteps, maxBatchBytes } = this.#limits
    return (
      this.#queue.length >= maxBatchSteps || this.#queue.size + this.#threads.size >= maxBatchBytes
    )
  }

  /** The time from which the first postponed batch may be sent; infinite when there is none. */
  get nextMoment(): number {
    return Math.min(...this.#waiting.map(({ notBefore }) => notBefore), Number.POSITIVE_INFINITY)
  }

  add(item: Item): void {
    this.#last = item.order
    this.#queue.push(item)
  }

  addThread(change: ThreadChange): void {
    this.#last = change.order
    this.#threads.add(change)
  }

  makeAllDue(): void {
    this.#dueUpTo = this.#last
  }

  /** Holds changes of threads back until `releaseThreads`. */
  holdThreads(): void {
    this.#areThreadsHeld = true
  }

  releaseThreads(): void {
    this.#areThreadsHeld = false
  }

  /** Makes all records up to a place due. */
  makeDue(order: number): void {
    this.#dueUpTo = Math.max(this.#dueUpTo, order)
  }

  /** Returns true when a record up to a place is still here. */
  isPending(order: number): boolean {
    const { first } = this.#queue
    if (first !== undefined && first.order <= order) return true
    if (this.#threads.hasUpTo(order)) return true
    for (const batch of this.#batches()) if (reachesBackTo(batch, order)) return true
    return false
  }

  /** Finds the record at a place, if it is still here; `isStuck` when it failed on its own. */
  find(order: number): { isStuck: boolean } | undefined {
    for (const batch of this.#batches())
      if (holdsOrder(batch, order)) return { isStuck: batch.failures + batch.blame > 0 }
    const isWaiting = this.#queue.has(order) || this.#threads.has(order)
    return isWaiting ? { isStuck: false } : undefined
  }

  /** Leases the next batch that may be sent now; undefined when there is none. */
  lease(now: number): Batch | undefined {
    const batch = this.#next(now)
    if (batch === undefined) return undefined
    this.#leased.add(batch)
    if (this.#telling.get(batch.session) === batch) this.#telling.delete(batch.session)
    return batch
  }

  /** Returns the next losses to report for a session of an earlier process, so that more can be added. */
  lossesOf(session: Session): Loss[] {
    let batch = this.#telling.get(session)
    if (batch === undefined) {
      batch = newBatch(session, { isEnd: true })
      this.#telling.set(session, batch)
      this.putLast(batch)
    }
    return batch.losses
  }

  /** Returns true when losses from a session of an earlier process are still to be reported. */
  hasLossesOf(session: Session): boolean {
    for (const batch of this.#batches())
      if (batch.session === session && batch.losses.length > 0) return true
    return false
  }

  /** Leases everything, except for changes of one thread that have to wait for each other. */
  leaseAll(): void {
    this.#waiting.unshift(...this.#unexplained.splice(0))
    this.makeAllDue()
    while (this.lease(Number.POSITIVE_INFINITY) !== undefined);
  }

  /** Ends the lease of a batch. Returns false when it had ended already. */
  release(batch: Batch): boolean {
    return this.#leased.delete(batch)
  }

  putFirst(...batches: Batch[]): void {
    this.#waiting.unshift(...batches)
  }

  putLast(...batches: Batch[]): void {
    this.#waiting.push(...batches)
  }

  /**
   * Adds batches of ended processes. Their changes of threads go before those of later sessions, which may be here
   * already: a session may be taken over after a later one, from a process that had taken it over before.
   */
  adopt(batches: readonly Batch[]): void {
    for (const batch of batches) {
      const ids = new Set(batch.threads.map(({ record }) => record.id))
      const index = this.#waiting.findIndex(
        ({ session, threads }) =>
          isEarlier(batch.session, session) && threads.some(({ record }) => ids.has(record.id)),
      )
      this.#waiting.splice(index < 0 ? this.#waiting.length : index, 0, batch)
    }
  }

  /** Replaces a waiting batch by its parts. */
  replace(batch: Batch, parts: readonly Batch[]): void {
    const index = this.#waiting.indexOf(batch)
    if (index >= 0) this.#waiting.splice(index, 1, ...parts)
  }

  /** Holds a batch back until a probe has shown if the service accepts anything. */
  putUnexplained(batch: Batch): void {
    this.#unexplained.push(batch)
  }

  takeUnexplained(): Batch[] {
    return this.#unexplained.splice(0)
  }

  /** Takes everything, as nothing of it will be sent. */
  takeAll(): Records {
    const batches = [...this.#batches()]
    const items = batches.flatMap((batch) => batch.items)
    const threads = batches.flatMap((batch) => batch.threads)
    items.push(...this.#queue.take(this.#queue.length, Number.POSITIVE_INFINITY))
    while (!this.#threads.isEmpty) threads.push(...this.#threads.take(NONE))
    this.#waiting = []
    this.#unexplained = []
    this.#leased.clear()
    return { items, threads }
  }

  *#batches(): Generator<Batch> {
    yield* this.#leased
    yield* this.#waiting
    yield* this.#unexplained
  }

  #next(now: number): Batch | undefined {
    const busy = new Set<string>()
    const keepBusy = ({ threads }: Batch) => {
      for (const { record } of threads) busy.add(record.id)
    }
    this.#leased.forEach(keepBusy)
    if (this.#unexplained.length > 0) {
      if (![...this.#leased].some(({ isProbe }) => isProbe))
        return newBatch(this.#session, { isProbe: true })
      this.#unexplained.forEach(keepBusy)
    }
    for (const [index, batch] of this.#waiting.entries()) {
      const elsewhere =
        batch.session === this.#session ? NONE : this.#threadsElsewhere(batch.session)
      const isFree = batch.threads.every(
        ({ record }) => !busy.has(record.id) && !elsewhere.has(record.id),
      )
      if (isFree && batch.notBefore <= now) return this.#waiting.splice(index, 1)[0]
      keepBusy(batch)
    }
    for (const id of this.#threadsElsewhere(this.#session)) busy.add(id)
    return this.#newBatch(busy)
  }

  /** Makes a batch of the next steps and threads that are due. */
  #newBatch(busy: ReadonlySet<string>): Batch | undefined {
    const { maxBatchSteps, maxBatchBytes } = this.#limits
    const { first } = this.#queue
    const isDue = (first !== undefined && first.order <= this.#dueUpTo) || this.hasFullBatch
    const areThreadsDue = isDue || this.#threads.hasUpTo(this.#dueUpTo, busy)
    const threads = areThreadsDue && !this.#areThreadsHeld ? this.#threads.take(busy) : []
    const items = isDue ? this.#queue.take(maxBatchSteps, maxBatchBytes) : []
    if (items.length + threads.length === 0) return undefined
    return newBatch(this.#session, { items, threads })
  }
}

const NONE: ReadonlySet<string> = new Set()
