import { MAX_TIMER_MS } from '../settings.js'
import { Account, addLoss, type DropReason, type Stats } from './account.js'
import type { Failure, Outcome } from './answer.js'
import { Backlog, type BatchLimits } from './backlog.js'
import {
  type Batch,
  bodyOf,
  dividedBatch,
  type Item,
  newBatch,
  type Session,
  sizeOfThread,
  textOfItem,
} from './batch.js'
import { resolveAccepted, resolveRejected } from './batch-result.js'
import type { Host } from './host.js'
import type { BatchPost } from './http-post.js'
import type { StepRecord, ThreadRecord } from './records.js'
import { Sender } from './sender.js'
import { Signal } from './signal.js'
import type { Spool } from './spool/spool.js'

export interface OutboxLimits extends BatchLimits {
  /** The longest that a step waits for others, in milliseconds: 500 when absent. */
  flushIntervalMs: number
  /** The most steps of a request: 500 when absent. */
  maxBatchSteps: number
  /** About how large a request becomes before it is compressed: 1 MB when absent, 4 MB at most. A larger step goes alone. */
  maxBatchBytes: number
  /** Requests under way at once: 4 when absent. */
  maxRequests: number
  /** About how much memory undelivered steps may take: 64 MB when absent. What is recorded beyond is dropped, or stays in the spool. */
  maxBufferBytes: number
  /** Bodies from this size on are compressed: 16 kB when absent. */
  gzipFromBytes: number
  /** How long an attempt may take, in milliseconds, and so `send` and `upsert`: 10,000 when absent. */
  requestTimeoutMs: number
}

export const DEFAULT_LIMITS: OutboxLimits = {
  flushIntervalMs: 500,
  maxBatchSteps: 500,
  maxBatchBytes: 1_000_000,
  maxRequests: 4,
  maxBufferBytes: 64 * 1024 * 1024,
  gzipFromBytes: 16_384,
  requestTimeoutMs: 10_000,
}

/** How much is written for delivery while the process exits: each body is in memory twice then. */
const MAX_AT_ONCE = 64_000_000

/** What one request never exceeds, unless it holds a single step. */
const MAX_BODY_BYTES = 3_900_000

export interface OutboxOptions {
  host: Host
  post: BatchPost
  /** Of every request. */
  headers: Record<string, string>
  /** Where the service is, for messages. */
  origin: string
  session: Session
  limits: OutboxLimits
  spool: Spool | undefined
  report: (message: string) => void
  /** Keeps a serverless function alive until a promise settles. */
  waitUntil: ((promise: Promise<unknown>) => void) | undefined
  /** Called once there may be something to deliver. Returns what is to be called once there can't be more. */
  onStart: () => () => void
}

export interface FlushOptions {
  /** How long to go on trying, in milliseconds. */
  timeoutMs?: number | undefined
}

const FLUSH_TIMEOUT_MS = 30_000

/**
 * Delivers what is recorded, in batches and in the background, and accounts for every step. While the service can't be
 * reached it keeps them and goes on trying; what does not fit into its memory it drops, and says so.
 */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #account: Account
  readonly #encoder = new TextEncoder()
  readonly #backlog: Backlog
  readonly #sender: Sender
  readonly #changed: Signal
  #buffered = 0
  #sequence = 0
  /** The place of what was recorded last, changes of threads and what there was no room for included. */
  #order = 0
  #isClosed = false
  #isOver = false
  #isEndTold = false
  #keptAlive: Promise<unknown> | undefined
  #onEnd: (() => void) | undefined

  constructor(options: OutboxOptions) {
    const { host, session, limits, report } = options
    this.#options = options
    this.#account = new Account(report)
    const { spool } = options
    this.#backlog = new Backlog(session, limits, spool?.threadsElsewhere.bind(spool))
    // An earlier process may have left changes of the same threads.
    if (spool !== undefined) this.#backlog.holdThreads()
    this.#changed = new Signal(host)
    this.#sender = new Sender({
      host,
      backlog: this.#backlog,
      post: options.post,
      headers: options.headers,
      limits,
      bodyOf: (batch) => this.#body(batch),
      resolve: (batch, outcome) => this.#resolve(batch, outcome),
      putBack: (batch) => this.#untaken(batch),
      giveUp: (batch, message) => this.#giveUp(batch, message),
      onFault: (batch, error) => this.#fault(batch, error),
      onFailure: (message, batch) => this.#reportFailure(message, batch),
      onChange: () => this.#changed.notify(),
    })
  }

  /** Whether it has ended, and what is undelivered was given up or left to the spool. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether the service has every step and thread. */
  get isEmpty(): boolean {
    return this.#backlog.isEmpty
  }

  /** Sees to the end of the process from now on, as something begins that is to be recorded. */
  start(): void {
    if (!this.#isClosed) this.#onEnd ??= this.#options.onStart()
  }

  /** Takes a step. Costs next to nothing: it is written as JSON when it is sent. */
  add(record: StepRecord, size: number): void {
    const { session, spool, limits, origin } = this.#options
    const sequence = ++this.#sequence
    record.sessionId = session.id
    record.sequence = sequence
    session.recorded = sequence
    this.#account.recorded++
    const { id, threadId } = record
    if (this.#isClosed) {
      const message = 'a step was recorded after the client was closed'
      this.#account.drop('closed', message, { id, sequence, threadId })
      return
    }
    session.endedAt = undefined
    this.#isEndTold = false
    const isFull = this.#buffered + size > limits.maxBufferBytes
    const order = ++this.#order
    if (isFull && spool === undefined) {
      const why = this.#sender.lastProblem ?? 'they come faster than they go'
      const message = `the buffer of ${limits.maxBufferBytes} bytes is full while ${origin} takes no steps (${why})`
      this.#account.drop('memory', message, { id, sequence, threadId })
      return
    }
    const item: Item = {
      session,
      sequence,
      order,
      id,
      threadId,
      size,
      held: size,
      record,
      text: undefined,
      line: undefined,
      isShrunk: false,
    }
    if (spool !== undefined && !this.#toSpool(spool, item, isFull)) return
    this.#buffered += item.held
    this.#backlog.add(item)
    this.#wake()
  }

  /** Takes what is set of a thread; `size` is about how many characters that are. */
  addThread(record: ThreadRecord, size = JSON.stringify(record).length): void {
    const { spool, limits } = this.#options
    if (this.#isClosed) {
      this.#account.dropThread(`the thread ${record.id} was changed after the client was closed`)
      return
    }
    const order = ++this.#order
    if (this.#buffered + size > limits.maxBufferBytes && spool === undefined) {
      this.#account.dropThread(
        `the buffer of ${limits.maxBufferBytes} bytes is full; a change of the thread ${record.id} is lost`,
      )
      return
    }
    const mark = spool?.appendThread(record)
    this.#buffered += size
    this.#backlog.addThread({ record, mark, order, size })
    this.#wake()
  }

  /** Takes the steps that an earlier process left. */
  adopt(batches: readonly Batch[]): void {
    if (this.#isOver) return
    for (const { items, losses } of batches) {
      this.#account.adopt(items.length)
      // What was dropped before its process ended is on that process's account.
      for (const { reason, from, to } of losses)
        if (reason === 'spool') this.#account.adoptLost(to - from + 1)
    }
    if (batches.length > 0) this.#onEnd ??= this.#options.onStart()
    this.#backlog.putLast(...batches)
    if (!this.#options.spool?.isFirstLook) this.#backlog.releaseThreads()
    this.#sender.pumpSoon()
    this.#changed.notify()
  }

  /**
   * Sends what was recorded last, without waiting for more. Resolves once the service has it, once it is clear that it
   * can't be had now, or after the time of a request, and never rejects.
   */
  async flushLast(): Promise<void> {
    const { host, limits } = this.#options
    const order = this.#order
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

  /** Sends what is there. Resolves once the service has all of it, or once the time is over, and never rejects. */
  async flush({ timeoutMs = FLUSH_TIMEOUT_MS }: FlushOptions = {}): Promise<void> {
    const { host, spool } = this.#options
    const deadline = host.elapsed() + clamped(timeoutMs)
    const order = this.#order
    this.#backlog.makeDue(order)
    // A caller who asks wants an attempt now, whatever the last one came to.
    this.#sender.retryNow()
    while (!this.#isOver && (spool?.isFirstLook || this.#backlog.isPending(order))) {
      const left = deadline - host.elapsed()
      if (left <= 0) return
      await this.#changed.wait(left)
    }
  }

  /**
   * Sends what is there and that the session ends, for as long as the time lasts; what is undelivered then is given up,
   * or left to the spool. A step that comes while it works takes the end back.
   */
  async finish({ timeoutMs = FLUSH_TIMEOUT_MS }: FlushOptions = {}): Promise<void> {
    const { host } = this.#options
    const deadline = host.elapsed() + clamped(timeoutMs)
    const last = this.#order
    this.#backlog.makeAllDue()
    this.#sender.retryNow()
    while (!this.isFinished && this.#order === last) {
      const left = deadline - host.elapsed()
      if (left <= 0) return this.end()
      this.markEnd()
      await this.#changed.wait(left)
    }
  }

  /** Takes nothing any more, and finishes. */
  async close(options: FlushOptions = {}): Promise<void> {
    this.#isClosed = true
    await this.finish(options)
    this.end()
  }

  /** Whether the service has everything, the end of the session included. */
  get isFinished(): boolean {
    if (this.#isOver) return true
    if (!this.isEmpty || this.#options.spool?.isFirstLook) return false
    return this.#sequence === 0 || this.#isAllTold
  }

  /** Whether the service knows how the session ended, and of every step that it will not get. */
  get #isAllTold(): boolean {
    if (!this.#isEndTold || this.#account.hasLosses) return false
    // Those that are on their way may come back.
    for (const batch of this.#backlog.leased)
      if (this.#isOwn(batch) && batch.losses.length > 0) return false
    return true
  }

  /** Notes that the session ends, for whatever is sent from now on; an empty batch where that is nothing else. */
  markEnd(): void {
    const { session, host } = this.#options
    if (this.#sequence === 0 || this.#isAllTold) return
    session.endedAt ??= new Date(host.now()).toISOString()
    const isOnItsWay = [...this.#backlog.leased].some(({ toldEnd }) => toldEnd === session.endedAt)
    if (!this.#backlog.hasNothingToSend || isOnItsWay) return
    this.#backlog.putFirst(newBatch(session))
    this.#sender.pumpSoon()
  }

  /** Gives up what is undelivered, or leaves it to the spool. */
  end(): void {
    if (this.#isOver) return
    const { isFinished } = this
    this.#isOver = true
    this.#isClosed = true
    this.#sender.end()
    this.#onEnd?.()
    this.#changed.notify()
    const { spool, origin } = this.#options
    if (spool !== undefined) {
      spool.close(isFinished)
      return
    }
    const { lastProblem } = this.#sender
    const why = lastProblem === undefined ? '' : ` (${lastProblem})`
    const { items, threads } = this.#backlog.takeAll()
    for (const item of items)
      this.#drop(item, 'deadline', `${origin} did not take all steps before the end${why}`)
    for (const { changes } of threads)
      this.#account.dropThread(
        `${origin} did not take all changes of threads before the end${why}`,
        changes.length,
      )
  }

  stats(sampledOut = 0, timedOut = 0): Stats {
    const account = this.#account
    return {
      recorded: account.recorded,
      delivered: account.delivered,
      pending: account.pending,
      dropped: account.dropped,
      droppedByReason: account.droppedByReason(),
      droppedThreadChanges: account.droppedThreads,
      adopted: account.adopted,
      sampledOut,
      timedOut,
      setAside: account.setAside(),
      lastProblem: this.#sender.lastProblem,
      sessionId: this.#options.session.id,
    }
  }

  /** Counts a fault of this SDK, so that a step that it hits does not vanish. */
  lose(reason: DropReason, message: string): void {
    this.#account.recorded++
    this.#options.session.recorded = ++this.#sequence
    this.#account.drop(reason, message, { sequence: this.#sequence })
  }

  /** Cuts off the requests under way, as what they hold is about to be sent while nothing else runs. */
  cutOff(): void {
    this.#sender.cutOff()
  }

  /** Leases all that is undelivered as bodies, to be sent while nothing else can run any more. */
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
      const body = this.#body(batch)
      forgetTexts(batch)
      // What goes in parts, or has nothing left to send, needs no sending.
      if (body === undefined) this.#backlog.release(batch)
      else leased.push({ body, batch })
      bytes += body?.length ?? 0
    }
    return leased
  }

  /** Takes note of what became of a batch that was leased. */
  ack(batch: Batch, outcome: Outcome): void {
    if (this.#backlog.release(batch)) this.#sender.conclude(batch, outcome)
  }

  /** Takes back batches that were leased and not answered, for this reason if there is one. */
  nack(batches: readonly Batch[], problem?: string): void {
    for (const batch of batches) {
      if (!this.#backlog.release(batch)) continue
      this.#untaken(batch)
      if (!batch.isProbe) this.#backlog.putFirst(batch)
    }
    if (problem !== undefined) this.#sender.fail(problem)
    this.#sender.pumpSoon()
  }

  /** Takes back a leased batch that fails, in parts: what it is about is in one of them. False when it has none. */
  nackInParts(batch: Batch, problem: string): boolean {
    const parts = dividedBatch(batch)
    this.nack([batch], problem)
    if (parts.length < 2) return false
    this.#backlog.replace(batch, parts)
    return true
  }

  /** Whether the step is kept: in the spool, in memory, or in both. */
  #toSpool(spool: Spool, item: Item, isFull: boolean): boolean {
    const text = textOfItem(item)
    const line = spool.append(item.sequence, text, isFull)
    item.line = line
    item.record = undefined
    item.text = text
    if (line !== undefined) {
      // What memory has no room for is read back when its turn comes.
      if (isFull) {
        item.text = undefined
        item.held = 0
      }
      return true
    }
    if (!isFull) return true
    this.#account.drop('spool', 'the spool and the buffer are full', item)
    return false
  }

  /** Sees to it that what was added is sent in time. */
  #wake(): void {
    const { waitUntil } = this.#options
    this.#onEnd ??= this.#options.onStart()
    this.#sender.wake()
    if (waitUntil !== undefined && this.#keptAlive === undefined) this.#keepAlive(waitUntil)
  }

  #keepAlive(waitUntil: (promise: Promise<unknown>) => void): void {
    const { host, report } = this.#options
    // Not at once: what the function is about to record goes along.
    this.#keptAlive = new Promise<void>((resolve) => host.nextTurn(resolve))
      .then(() => this.flush())
      .finally(() => {
        this.#keptAlive = undefined
        // What came meanwhile; where the service fails, the next step asks again.
        if (!this.#isOver && !this.isEmpty && !this.#sender.isFailing) this.#keepAlive(waitUntil)
      })
    try {
      waitUntil(this.#keptAlive)
    } catch (error) {
      report(`waitUntil failed: ${String(error)}`)
    }
  }

  /** The body of a request; undefined when nothing is left to send, or when it has to go in two. */
  #body(batch: Batch): Uint8Array | undefined {
    if (batch.items.some(({ line }) => line !== undefined)) this.#dropUnreadable(batch)
    const { items, threads, session } = batch
    const isEmpty = items.length === 0 && threads.length === 0
    if (isEmpty && session.endedAt === undefined && !batch.isProbe) {
      // It was to tell of an end that a step has taken back since, and maybe of losses.
      this.#untaken(batch)
      return undefined
    }
    if (this.#isOwn(batch) && !batch.isProbe) batch.losses.push(...this.#account.takeLosses())
    batch.toldEnd = session.endedAt
    const body = this.#encoder.encode(bodyOf(batch))
    const parts = body.length <= MAX_BODY_BYTES ? [batch] : dividedBatch(batch)
    if (parts.length === 1) return body
    this.#untaken(batch)
    this.#backlog.putFirst(...parts)
    return undefined
  }

  /** The spool's folder is open to everybody who may write there. */
  #dropUnreadable(batch: Batch): void {
    const readable = batch.items.filter((item) => {
      if (item.line === undefined || item.record !== undefined || item.text !== undefined)
        return true
      try {
        item.text = item.line.read()
        return true
      } catch (error) {
        this.#drop(item, 'spool', `a step can't be read back from the spool: ${String(error)}`)
        return false
      }
    })
    batch.items.splice(0, batch.items.length, ...readable)
  }

  #resolve(
    batch: Batch,
    outcome: Exclude<Outcome, Failure>,
  ): { unavailable: Batch | undefined; hasStored: boolean } {
    if (outcome.kind === 'divided') return { unavailable: undefined, hasStored: false }
    const { spool, session, origin, report } = this.#options
    const isAccepted = outcome.kind === 'delivered'
    if (!isAccepted) this.#untaken(batch)
    const result = isAccepted ? resolveAccepted(batch, outcome) : resolveRejected(batch, outcome)
    const { stored, settledThreads, unavailable } = result
    if (isAccepted && this.#isOwn(batch) && batch.toldEnd !== undefined)
      this.#isEndTold ||= batch.toldEnd === session.endedAt
    this.#account.delivered += stored.length
    for (const { held } of stored) this.#buffered -= held
    if (stored.length > 0) spool?.settle(batch.session, stored, 'delivered')
    for (const { item, reason, message } of result.dropped)
      this.#drop(item, reason, `${origin} refused a step: ${message}`)
    for (const { id } of result.shrunk)
      report(
        `the step ${id} is larger than ${origin} takes; it is sent without most of its content`,
      )
    for (const { thread, message } of result.refusedThreads)
      this.#account.dropThread(
        `${origin} refused a change of the thread ${thread.record.id}: ${message}`,
        thread.changes.length,
      )
    for (const thread of settledThreads) this.#buffered -= sizeOfThread(thread)
    if (settledThreads.length > 0) spool?.settleThreads(batch.session, settledThreads)
    // What was dropped meanwhile is told by another batch, which also brings the end.
    if (result.isOver && batch.isEnd && !this.#backlog.hasLossesOf(batch.session))
      spool?.settleEnd(batch.session)
    this.#backlog.putFirst(...result.again)
    const isStored = stored.length > 0 || settledThreads.length > result.refusedThreads.length
    return { unavailable, hasStored: isStored }
  }

  #giveUp(batch: Batch, message: string): void {
    this.#resolve(batch, { kind: 'rejected', message })
  }

  #fault(batch: Batch, error: unknown): void {
    this.#untaken(batch)
    const parts = dividedBatch(batch)
    if (parts.length > 1) this.#backlog.putFirst(...parts)
    else {
      for (const item of batch.items.splice(0))
        this.#drop(item, 'internal', `a fault: ${String(error)}`)
      this.#giveUp(batch, `a fault: ${String(error)}`)
    }
  }

  #reportFailure(message: string, batch: Batch | undefined): void {
    const { origin, spool, report } = this.#options
    const place = spool === undefined ? 'in memory' : 'in the spool'
    if (batch === undefined) {
      report(`${origin} takes no steps: ${message}. They are kept ${place} and sent when it does`)
      return
    }
    const [item] = batch.items
    const what = item === undefined ? `thread ${batch.threads[0]?.record.id}` : `step ${item.id}`
    report(
      `${origin} does not take the ${what}, and takes others: ${message}. It is kept ${place} and tried again`,
    )
  }

  #isOwn(batch: Batch): boolean {
    return batch.session === this.#options.session
  }

  /** The batch was not taken: its losses are to be told with the next one. Those of other sessions stay with theirs. */
  #untaken(batch: Batch): void {
    if (this.#isOwn(batch)) this.#account.putBack(batch.losses.splice(0))
    forgetTexts(batch)
  }

  #drop(item: Item, reason: DropReason, message: string): void {
    const { session, spool } = this.#options
    this.#buffered -= item.held
    const isOwn = item.session === session
    this.#account.drop(reason, message, isOwn ? item : { id: item.id })
    if (!isOwn) {
      addLoss(this.#backlog.lossesOf(item.session), reason, item)
      spool?.keepEnd(item.session)
    }
    spool?.settle(item.session, [item], reason)
  }
}

/** What memory has no room for goes back to being in the spool alone. */
const forgetTexts = ({ items }: Batch): void => {
  for (const item of items)
    if (item.line !== undefined && item.held === 0 && !item.isShrunk) item.text = undefined
}

/** A time that can be waited for. */
export const clamped = (milliseconds: number): number =>
  Number.isNaN(milliseconds) ? FLUSH_TIMEOUT_MS : Math.min(milliseconds, MAX_TIMER_MS)
