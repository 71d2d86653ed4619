import type { DropReason, Stats } from './account.js'
import { Backlog } from './backlog.js'
import { type Batch, dividedBatch, newBatch } from './batch.js'
import type { Host } from './host.js'
import { Intake } from './intake.js'
import { type FlushOptions, type OutboxLimits, timeLimit } from './limits.js'
import type { StepRecord, ThreadRecord } from './records.js'
import type { Outcome } from './sending/answer.js'
import type { BatchPost } from './sending/http-post.js'
import { Sender } from './sending/sender.js'
import { forgetTexts, Settlement, type SettlementOptions } from './settlement.js'
import { Signal } from './signal.js'

/** Size of the bodies that are written at once while the process exits: each is in memory twice then. */
const MAX_AT_ONCE = 64_000_000

export interface OutboxOptions extends SettlementOptions {
  host: Host
  post: BatchPost
  /** Headers of every request. */
  headers: Record<string, string>
  limits: OutboxLimits
  /** Keeps a serverless function alive until a promise settles. */
  waitUntil: ((promise: Promise<unknown>) => void) | undefined
  /** Called when there may be something to deliver. Returns a function to call when no more can come. */
  onStart: () => () => void
}

/**
 * Delivers steps in batches and in the background, and accounts for each. While the service cannot be reached it keeps
 * them and retries; steps that exceed its memory are dropped and reported.
 */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #backlog: Backlog
  readonly #settlement: Settlement
  readonly #intake: Intake
  readonly #sender: Sender
  readonly #changed: Signal
  #isOver = false
  #keptAlive: Promise<unknown> | undefined
  #onEnd: (() => void) | undefined

  constructor(options: OutboxOptions) {
    const { host, session, limits, spool } = options
    this.#options = options
    const backlog = new Backlog(session, limits, spool?.threadsElsewhere.bind(spool))
    const settlement = new Settlement(options, backlog)
    this.#backlog = backlog
    this.#settlement = settlement
    this.#intake = new Intake(options, backlog, settlement)
    // An earlier process may have left changes of the same threads.
    if (spool !== undefined) backlog.holdThreads()
    this.#changed = new Signal(host)
    this.#sender = new Sender({
      ...options,
      backlog,
      settlement,
      onChange: () => this.#changed.notify(),
    })
  }

  /** True after the end: undelivered steps were given up or left to the spool. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** True when the service has every step and thread. */
  get isEmpty(): boolean {
    return this.#backlog.isEmpty
  }

  /** Watches for the end of the process from now on, as a record has begun. */
  start(): void {
    if (!this.#intake.isClosed) this.#onEnd ??= this.#options.onStart()
  }

  /** Adds a step. Costs next to nothing: it is written as JSON when it is sent. */
  add(record: StepRecord, size: number): void {
    if (this.#intake.add(record, size, this.#sender.lastProblem)) this.#wake()
  }

  /** Adds a change of a thread, of about `size` characters. */
  addThread(record: ThreadRecord, size = JSON.stringify(record).length): void {
    if (this.#intake.addThread(record, size)) this.#wake()
  }

  /** Adds the steps that an earlier process left. */
  adopt(batches: readonly Batch[]): void {
    if (this.#isOver) return
    for (const { items, losses } of batches) {
      this.#settlement.account.adopt(items.length)
      // Steps that were dropped before their process ended are counted there.
      for (const { reason, from, to } of losses)
        if (reason === 'spool') this.#settlement.account.adoptLost(to - from + 1)
    }
    if (batches.length > 0) this.#onEnd ??= this.#options.onStart()
    this.#backlog.adopt(batches)
    if (!this.#options.spool?.isFirstLook) this.#backlog.releaseThreads()
    this.#sender.pumpSoon()
    this.#changed.notify()
  }

  /**
   * Sends the last record, without waiting for more. Resolves once the service has it or cannot store it now, or after
   * the time-out of a request; never rejects.
   */
  async flushLast(): Promise<void> {
    const { host, limits } = this.#options
    const order = this.#intake.order
    const deadline = host.elapsed() + limits.requestTimeoutMs
    this.#backlog.makeDue(order)
    this.#sender.pumpSoon()
    while (!this.#isOver && !this.#sender.isFailing) {
      const left = deadline - host.elapsed()
      const found = this.#backlog.find(order)
      if (left <= 0 || found === undefined || found.isStuck) return
      await this.#changed.wait(left)
    }
  }

  /** Sends all steps so far. Resolves once the service has them, or after the time-out, and never rejects. */
  async flush(options: FlushOptions = {}): Promise<void> {
    const { host, spool } = this.#options
    const deadline = host.elapsed() + timeLimit(options)
    const order = this.#intake.order
    this.#backlog.makeDue(order)
    // An explicit flush tries at once, however the last attempt ended.
    this.#sender.retryNow()
    while (!this.#isOver && (spool?.isFirstLook || this.#backlog.isPending(order))) {
      const left = deadline - host.elapsed()
      if (left <= 0) return
      await this.#changed.wait(left)
    }
  }

  /**
   * Sends all steps so far and the end of the session until the time-out; then gives up undelivered steps, or leaves
   * them to the spool. A step recorded in the meantime cancels the end.
   */
  async finish(options: FlushOptions = {}): Promise<void> {
    const { host } = this.#options
    const deadline = host.elapsed() + timeLimit(options)
    const last = this.#intake.order
    this.#backlog.makeAllDue()
    this.#sender.retryNow()
    while (!this.isFinished && this.#intake.order === last) {
      const left = deadline - host.elapsed()
      if (left <= 0) return this.end()
      this.markEnd()
      await this.#changed.wait(left)
    }
  }

  /** Rejects new records, and finishes. */
  async close(options: FlushOptions = {}): Promise<void> {
    this.#intake.isClosed = true
    await this.finish(options)
    this.end()
  }

  /** True when the service has everything, including the end of the session. */
  get isFinished(): boolean {
    if (this.#isOver) return true
    if (!this.isEmpty || this.#options.spool?.isFirstLook) return false
    return this.#intake.sequence === 0 || this.#isAllTold
  }

  /** True when the service knows the end of the session, and every step that it will not get. */
  get #isAllTold(): boolean {
    return this.#settlement.isEndTold && !this.hasUntoldLosses
  }

  /** True when there are steps that the service will not get, and does not know of. */
  get hasUntoldLosses(): boolean {
    if (this.#settlement.account.hasLosses) return true
    // Leased batches may come back.
    for (const batch of this.#backlog.leased)
      if (this.#settlement.isOwn(batch) && batch.losses.length > 0) return true
    return false
  }

  /** Ends the session, which the next batch reports: an empty one if there is no other. */
  markEnd(): void {
    const { session, host } = this.#options
    if (this.#intake.sequence === 0 || this.#isAllTold) return
    session.endedAt ??= new Date(host.now()).toISOString()
    const isOnItsWay = [...this.#backlog.leased].some(({ toldEnd }) => toldEnd === session.endedAt)
    if (!this.#backlog.hasNothingToSend || isOnItsWay) return
    this.#backlog.putFirst(newBatch(session))
    this.#sender.pumpSoon()
  }

  /** Gives up undelivered steps, or leaves them to the spool. */
  end(): void {
    if (this.#isOver) return
    const { isFinished } = this
    this.#isOver = true
    this.#intake.isClosed = true
    this.#sender.end()
    this.#onEnd?.()
    this.#changed.notify()
    const { spool, origin } = this.#options
    const { lastProblem } = this.#sender
    const why = lastProblem === undefined ? '' : ` (${lastProblem})`
    const left = this.#backlog.takeAll()
    const { items, threads } = spool?.close(isFinished, left) ?? left
    for (const item of items)
      this.#settlement.drop(
        item,
        'deadline',
        `${origin} did not accept all steps before the end${why}`,
      )
    for (const { changes } of threads)
      this.#settlement.account.dropThread(
        `${origin} did not accept all changes of threads before the end${why}`,
        changes.length,
      )
  }

  stats(sampledOut = 0, timedOut = 0): Stats {
    const account = this.#settlement.account
    return {
      recorded: account.recorded,
      delivered: account.delivered,
      pending: account.pending,
      dropped: account.dropped,
      droppedByReason: account.droppedByReason(),
      droppedThreadChanges: account.droppedThreads,
      droppedScores: account.droppedScores,
      adopted: account.adopted,
      sampledOut,
      timedOut,
      setAside: account.setAside(),
      lastProblem: this.#sender.lastProblem,
      sessionId: this.#options.session.id,
    }
  }

  /** Counts a step that a bug in this SDK lost, so that it does not vanish. */
  lose(reason: DropReason, message: string): void {
    this.#intake.lose(reason, message)
  }

  /** Aborts the requests under way, as their steps are about to be sent while nothing else runs. */
  cutOff(): void {
    this.#sender.cutOff()
  }

  /** Leases everything undelivered as bodies, to be sent while nothing else can run any more. */
  leaseBodies(): { body: Uint8Array; batch: Batch }[] {
    this.#backlog.leaseAll()
    const leased: { body: Uint8Array; batch: Batch }[] = []
    let bytes = 0
    for (const batch of [...this.#backlog.leased]) {
      // The rest is left to the next call, or to the spool.
      if (bytes > MAX_AT_ONCE) {
        this.nack([batch])
        continue
      }
      const body = this.#settlement.body(batch)
      forgetTexts(batch)
      // It was divided, or nothing of it is left to send.
      if (body === undefined) this.#backlog.release(batch)
      else leased.push({ body, batch })
      bytes += body?.length ?? 0
    }
    return leased
  }

  /** Settles the outcome of a leased batch. */
  ack(batch: Batch, outcome: Outcome): void {
    if (!this.#backlog.release(batch)) return
    this.#sender.conclude(batch, outcome)
    // Parts of it may be left to send, and no time to do it now.
    this.#sender.pumpSoon()
  }

  /** Returns leased batches without an answer to the backlog, with the reason if there is one. */
  nack(batches: readonly Batch[], problem?: string): void {
    for (const batch of batches) {
      if (!this.#backlog.release(batch)) continue
      this.#settlement.untaken(batch)
      if (!batch.isProbe) this.#backlog.putFirst(batch)
    }
    if (problem !== undefined) this.#sender.fail(problem)
    this.#sender.pumpSoon()
  }

  /**
   * Returns a failed, leased batch to the backlog in parts: one of them has the step at fault. Returns false when it
   * has no parts.
   */
  nackInParts(batch: Batch, problem: string): boolean {
    const parts = dividedBatch(batch)
    this.nack([batch], problem)
    if (parts.length < 2) return false
    this.#backlog.replace(batch, parts)
    return true
  }

  /** Makes sure that added records are sent in time. */
  #wake(): void {
    const { waitUntil } = this.#options
    this.#onEnd ??= this.#options.onStart()
    this.#sender.wake()
    if (waitUntil !== undefined && this.#keptAlive === undefined) this.#keepAlive(waitUntil)
  }

  #keepAlive(waitUntil: (promise: Promise<unknown>) => void): void {
    const { host, report } = this.#options
    // Later, so that steps that the function is about to record are included.
    this.#keptAlive = new Promise<void>((resolve) => host.nextTurn(resolve))
      .then(() => this.flush())
      .finally(() => {
        this.#keptAlive = undefined
        // Again for steps recorded in the meantime; while the service fails, the next step starts this again.
        if (!this.#isOver && !this.isEmpty && !this.#sender.isFailing) this.#keepAlive(waitUntil)
      })
    const failed = (error: unknown) => report(`waitUntil failed: ${String(error)}`)
    try {
      // A platform's may be asynchronous, whatever its type says.
      const kept: unknown = waitUntil(this.#keptAlive)
      if (kept instanceof Promise) kept.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
