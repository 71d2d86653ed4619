import { LONGEST_MS } from '../settings.js'
import type { StepRecord, ThreadRecord } from '../tracing/recorder.js'
import { Account, type DropReason, type Stats } from './account.js'
import { type Outcome, outcomeOf } from './answer.js'
import { BackOff } from './back-off.js'
import { type Batch, bodyOf, type Item, type Session, textOfItem } from './batch.js'
import { Changes } from './changes.js'
import { gzip } from './compress.js'
import type { BatchPost } from './http-post.js'
import { Queue } from './queue.js'
import type { Spool } from './spool.js'
import { ThreadChanges } from './thread-changes.js'
import { later, nextTurn } from './timers.js'
import { halves, judgeDelivered, judgeRejected, type Verdict } from './verdict.js'

export interface OutboxLimits {
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
  /** How long an attempt may take, in milliseconds: 10,000 when absent. */
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
const MOST_AT_ONCE = 64_000_000

/** What one request never exceeds, unless it holds a single step. */
const MOST_BODY_BYTES = 3_900_000

export interface OutboxOptions {
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
  /** Called when there is something to deliver for the first time. Gives what is to be called once there can't be more. */
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
  readonly #backOff = new BackOff()
  readonly #encoder = new TextEncoder()
  readonly #queue = new Queue()
  readonly #threads = new ThreadChanges()
  /** Batches that failed or were split, and those of earlier processes. They go first. */
  #waiting: Batch[] = []
  readonly #underWay = new Set<Batch>()
  /** Those of them that were handed to somebody else, and that nothing here is sending. */
  readonly #handed = new Set<Batch>()
  #buffered = 0
  #sequence = 0
  /** Steps up to this one, and all threads, are sent without waiting for more. */
  #dueUpTo = 0
  #threadsDue = false
  #blockedUntil = 0
  #lastProblem: string | undefined
  #cancelTimer: (() => void) | undefined
  #isPumping = false
  #isClosed = false
  #endIsTold = false
  readonly #changes = new Changes()
  /** What is undelivered was given up, or left to the spool. */
  #isOver = false
  #keptAlive: Promise<unknown> | undefined
  #onEnd: (() => void) | undefined

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#account = new Account(options.report)
  }

  /** Whether it has ended, and what is undelivered was given up or left to the spool. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether the service has every step and thread. */
  get isEmpty(): boolean {
    return (
      this.#account.pending === 0 &&
      this.#threads.isEmpty &&
      ![...this.#underWay, ...this.#waiting].some((batch) => !this.#isOwn(batch))
    )
  }

  /** Takes a step. Costs next to nothing: it is written as JSON when it is sent. */
  add(record: StepRecord, size: number): void {
    const { session, spool, limits } = this.#options
    const sequence = ++this.#sequence
    record.sessionId = session.id
    record.sequence = sequence
    session.recorded = sequence
    this.#account.recorded++
    const { id, threadId } = record
    session.endedAt = undefined
    this.#endIsTold = false
    if (this.#isClosed) {
      const message = 'a step was recorded after the client was closed'
      this.#account.drop('closed', message, { id, sequence, threadId })
      return
    }
    const isFull = this.#buffered + size > limits.maxBufferBytes
    if (isFull && spool === undefined) {
      const message = `the buffer of ${limits.maxBufferBytes} bytes is full while ${this.#options.origin} takes no steps (${this.#lastProblem ?? 'they come faster than they go'})`
      this.#account.drop('memory', message, { id, sequence, threadId })
      return
    }
    const item: Item = {
      session,
      sequence,
      id,
      threadId,
      size,
      held: size,
      record,
      text: undefined,
      load: undefined,
      isShrunk: false,
    }
    if (spool !== undefined && !this.#toSpool(spool, item, isFull)) return
    this.#buffered += item.held
    this.#queue.push(item)
    this.#wake()
  }

  /** Takes what is set of a thread. Changes of one thread are put together while they wait. */
  addThread(record: ThreadRecord): void {
    if (this.#isClosed) return
    this.#threads.add(record, this.#options.spool?.appendThread(record))
    this.#wake()
  }

  /** Takes the steps that an earlier process left. */
  adopt(batches: readonly Batch[]): void {
    for (const { items, losses } of batches) {
      this.#account.adopt(items.length)
      // What was dropped before its process ended is on that process's account.
      for (const { reason, from, to } of losses)
        if (reason === 'spool') this.#account.adoptLost(to - from + 1)
    }
    if (batches.length === 0) return
    this.#onEnd ??= this.#options.onStart()
    this.#waiting.push(...batches)
    this.#pumpSoon()
  }

  /**
   * Sends what is there without waiting for more. Resolves once the service has it, or once it is clear that it can't
   * be had now. Never rejects.
   */
  async expedite(): Promise<void> {
    const mark = this.#dueNow()
    while (!this.#isOver && this.#isPending(mark) && this.#backOff.failures === 0)
      if (await this.#changes.next(this.#options.limits.requestTimeoutMs)) return
  }

  /** Sends what is there. Resolves once the service has all of it, or once the time is over, and never rejects. */
  async flush({ timeoutMs = FLUSH_TIMEOUT_MS }: FlushOptions = {}): Promise<void> {
    const deadline = Date.now() + clamped(timeoutMs)
    const mark = this.#dueNow()
    // Whoever asks wants an attempt now, whatever the last one came to.
    if (this.#underWay.size === 0) this.#blockedUntil = 0
    this.#pumpSoon()
    while (!this.#isOver && this.#isPending(mark)) {
      const left = deadline - Date.now()
      if (left <= 0) return
      await this.#changes.next(left)
    }
  }

  /**
   * Sends what is there and that the session ends, for as long as the time lasts; what is undelivered then is given up,
   * or left to the spool. A step that comes while it works takes the end back.
   */
  async finish(options: FlushOptions = {}): Promise<void> {
    this.markEnd()
    const last = this.#sequence
    await this.flush(options)
    if (!this.isFinished && this.#sequence === last) this.end()
  }

  /** Takes nothing any more, and finishes. */
  async close(options: FlushOptions = {}): Promise<void> {
    this.#isClosed = true
    await this.finish(options)
    this.end()
  }

  /** Whether the service has everything, the end of the session included. */
  get isFinished(): boolean {
    return this.#isOver || (this.isEmpty && (this.#account.recorded === 0 || this.#endIsTold))
  }

  /** Notes that the session ends, for whatever is sent from now on. */
  markEnd(): void {
    const { session } = this.#options
    if (session.endedAt !== undefined || this.#account.recorded === 0) return
    session.endedAt = new Date().toISOString()
    if (this.#waiting.length === 0 && this.#queue.length === 0)
      this.#waiting.push(this.#emptyBatch())
  }

  /** Gives up what is undelivered, or leaves it to the spool. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#isClosed = true
    this.#cancelTimer?.()
    this.#onEnd?.()
    this.#changes.tell(true)
    const { spool, origin } = this.#options
    if (spool !== undefined) {
      spool.close(this.isEmpty)
      return
    }
    const why = this.#lastProblem === undefined ? '' : ` (${this.#lastProblem})`
    for (const item of this.#takeAll())
      this.#drop(item, 'deadline', `${origin} did not take all steps before the end${why}`)
  }

  stats(sampledOut = 0): Stats {
    const account = this.#account
    return {
      recorded: account.recorded,
      delivered: account.delivered,
      pending: account.pending,
      dropped: account.dropped,
      droppedByReason: account.droppedByReason(),
      adopted: account.adopted,
      sampledOut,
      setAside: account.setAside(),
      lastProblem: this.#lastProblem,
      sessionId: this.#options.session.id,
    }
  }

  /** Counts a fault of this SDK, so that a step that it hits does not vanish. */
  lose(reason: DropReason, message: string): void {
    this.#account.recorded++
    this.#options.session.recorded = ++this.#sequence
    this.#account.drop(reason, message, { sequence: this.#sequence })
  }

  /** Bodies of all that is undelivered, for whoever has to send them while nothing else can run any more. */
  takeBodies(): { body: Uint8Array; batch: Batch }[] {
    this.#dueNow()
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#underWay.add(next)
      this.#handed.add(next)
    }
    let bytes = 0
    return [...this.#underWay].flatMap((batch) => {
      // The rest is left to the spool, or to the next call.
      if (bytes > MOST_AT_ONCE) return []
      const body = this.#body(batch)
      // What goes in parts, or has nothing left to send, is not handed out.
      if (body === undefined) {
        this.#underWay.delete(batch)
        this.#handed.delete(batch)
      }
      forgetTexts(batch)
      bytes += body?.length ?? 0
      return body === undefined ? [] : [{ body, batch }]
    })
  }

  /** Takes note of what became of a batch that somebody else sent. */
  settle(batch: Batch, outcome: Outcome): void {
    this.#underWay.delete(batch)
    this.#handed.delete(batch)
    this.#conclude(batch, outcome)
  }

  /** Takes back what was handed out and not settled, to go on as if nothing had been. */
  takeBack(problem: string | undefined): void {
    const batches = [...this.#handed]
    this.#handed.clear()
    for (const batch of batches) {
      this.#underWay.delete(batch)
      this.#putBackLosses(batch)
      forgetTexts(batch)
    }
    this.#waiting.unshift(...batches)
    if (problem !== undefined) this.#fail(problem, undefined)
    else if (batches.length > 0) this.#pumpSoon()
  }

  /** Whether the step is kept: in the spool, in memory, or in both. */
  #toSpool(spool: Spool, item: Item, isFull: boolean): boolean {
    const text = textOfItem(item)
    const load = spool.append(item.sequence, text, isFull)
    item.load = load
    item.record = undefined
    item.text = text
    if (load !== undefined) {
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
    const { limits, waitUntil } = this.#options
    this.#onEnd ??= this.#options.onStart()
    if (this.#hasFullBatch()) this.#pumpSoon()
    else if (this.#cancelTimer === undefined) this.#setTimer(limits.flushIntervalMs)
    if (waitUntil !== undefined && this.#keptAlive === undefined) this.#keepAlive(waitUntil)
  }

  #keepAlive(waitUntil: (promise: Promise<unknown>) => void): void {
    // Not at once: what the function is about to record goes along.
    this.#keptAlive = new Promise<void>((resolve) => nextTurn(resolve))
      .then(() => this.flush())
      .finally(() => {
        this.#keptAlive = undefined
        // What came meanwhile; where the service fails, the next step asks again.
        if (!this.#isOver && !this.isEmpty && this.#backOff.failures === 0)
          this.#keepAlive(waitUntil)
      })
    try {
      waitUntil(this.#keptAlive)
    } catch (error) {
      this.#options.report(`waitUntil failed: ${String(error)}`)
    }
  }

  #setTimer(milliseconds: number): void {
    this.#cancelTimer?.()
    this.#cancelTimer = later(() => {
      this.#cancelTimer = undefined
      this.#dueNow()
    }, milliseconds)
  }

  #dueNow(): number {
    this.#dueUpTo = this.#sequence
    this.#threadsDue = this.#threads.isWaiting
    this.#pumpSoon()
    return this.#sequence
  }

  #pumpSoon(): void {
    if (this.#isPumping) return
    this.#isPumping = true
    nextTurn(() => {
      this.#isPumping = false
      this.#pump()
    })
  }

  /** Starts one request, and comes back for the next: writing many at once would hold up the application. */
  #pump(): void {
    if (this.#isOver) return
    const wait = this.#blockedUntil - Date.now()
    if (wait > 0) {
      this.#setTimer(wait)
      return
    }
    // While the service fails, one attempt at a time says as much as many.
    const most = this.#backOff.failures > 0 ? 1 : this.#options.limits.maxRequests
    if (this.#underWay.size >= most) return
    const batch = this.#next()
    if (batch === undefined) return
    this.#underWay.add(batch)
    this.#attempt(batch).then(
      (outcome) => {
        // It may have been settled meanwhile, as the process ended, or be over.
        if (!this.#underWay.delete(batch) || this.#isOver) return
        this.#conclude(batch, outcome)
        this.#pumpSoon()
      },
      (error) => {
        this.#underWay.delete(batch)
        this.#putBackLosses(batch)
        forgetTexts(batch)
        const [only] = batch.items
        if (batch.items.length > 1) this.#waiting.unshift(...halves(batch))
        else {
          if (only !== undefined) this.#drop(only, 'internal', `a fault: ${String(error)}`)
          this.#settleBatch(batch)
        }
        this.#changes.tell(true)
        this.#pumpSoon()
      },
    )
    this.#pumpSoon()
  }

  #next(): Batch | undefined {
    return this.#waiting.shift() ?? this.#nextBatch()
  }

  #hasFullBatch(): boolean {
    const { maxBatchSteps, maxBatchBytes } = this.#options.limits
    return this.#queue.length >= maxBatchSteps || this.#queue.size >= maxBatchBytes
  }

  /** The next steps and threads that are due. */
  #nextBatch(): Batch | undefined {
    const { maxBatchSteps, maxBatchBytes } = this.#options.limits
    const { first } = this.#queue
    const isDue = (first !== undefined && first.sequence <= this.#dueUpTo) || this.#hasFullBatch()
    const threads = isDue || this.#threadsDue ? this.#threads.take() : []
    this.#threadsDue = false
    const items = isDue ? this.#queue.take(maxBatchSteps, maxBatchBytes) : []
    if (items.length + threads.length === 0) return undefined
    return { ...this.#emptyBatch(), items, threads }
  }

  #emptyBatch(): Batch {
    return { session: this.#options.session, items: [], threads: [], losses: [], isEnd: false }
  }

  /** The body of a request; undefined when nothing is left to send, or when it has to go in two. */
  #body(batch: Batch): Uint8Array | undefined {
    if (batch.items.some(({ load }) => load !== undefined)) this.#dropUnreadable(batch)
    const { items, threads, session } = batch
    if (items.length === 0 && threads.length === 0 && session.endedAt === undefined)
      return undefined
    if (session === this.#options.session) batch.losses.push(...this.#account.takeLosses())
    const body = this.#encoder.encode(bodyOf(batch))
    if (body.length <= MOST_BODY_BYTES || items.length < 2) return body
    this.#putBackLosses(batch)
    forgetTexts(batch)
    this.#waiting.unshift(...halves(batch))
    return undefined
  }

  /** The spool's folder is open to everybody who may write there. */
  #dropUnreadable(batch: Batch): void {
    const readable = batch.items.filter((item) => {
      if (item.load === undefined || item.record !== undefined || item.text !== undefined)
        return true
      try {
        item.text = item.load()
        return true
      } catch (error) {
        this.#drop(item, 'spool', `a step can't be read back from the spool: ${String(error)}`)
        return false
      }
    })
    batch.items.splice(0, batch.items.length, ...readable)
  }

  async #attempt(batch: Batch): Promise<Outcome> {
    const { post, headers, limits } = this.#options
    const body = this.#body(batch)
    if (body === undefined) return { kind: 'divided' }
    try {
      const packed = body.length < limits.gzipFromBytes ? undefined : await gzip(body)
      const sent = packed === undefined ? headers : { ...headers, 'content-encoding': 'gzip' }
      return outcomeOf(await post(packed ?? body, sent, limits.requestTimeoutMs))
    } catch (error) {
      return { kind: 'later', message: problemOf(error), waitMs: undefined }
    }
  }

  #conclude(batch: Batch, outcome: Outcome): void {
    if (outcome.kind === 'divided') return
    if (outcome.kind !== 'delivered') this.#putBackLosses(batch)
    if (outcome.kind === 'later') {
      this.#fail(outcome.message, outcome.waitMs)
      forgetTexts(batch)
      this.#waiting.unshift(batch)
      this.#changes.tell(true)
      return
    }
    const isDelivered = outcome.kind === 'delivered'
    const verdict = isDelivered ? judgeDelivered(batch, outcome) : judgeRejected(batch, outcome)
    if (verdict.mustWait) this.#fail('it could not store all steps', undefined)
    else {
      this.#backOff.reset()
      this.#blockedUntil = 0
      this.#lastProblem = undefined
    }
    if (isDelivered && batch.session.endedAt !== undefined && this.#isOwn(batch))
      this.#endIsTold = true
    this.#apply(batch, verdict)
    this.#changes.tell(false)
  }

  #apply(batch: Batch, { stored, again, dropped, shrunk, refusedThreads, isOver }: Verdict): void {
    const { spool, origin, report } = this.#options
    this.#account.delivered += stored.length
    for (const { held } of stored) this.#buffered -= held
    if (stored.length > 0) spool?.settle(batch.session, stored, 'delivered')
    for (const { item, reason, message } of dropped)
      this.#drop(item, reason, `${origin} refused a step: ${message}`)
    for (const { id } of shrunk)
      report(
        `the step ${id} is larger than ${origin} takes; it is sent without most of its content`,
      )
    for (const { thread, message } of refusedThreads)
      report(`${origin} refused the thread ${thread.record.id}: ${message}`)
    if (isOver) this.#settleBatch(batch)
    this.#waiting.unshift(...again)
  }

  /** The threads of a batch, and the end that it tells of, need no longer be kept. */
  #settleBatch({ session, threads, isEnd }: Batch): void {
    const { spool } = this.#options
    if (session === this.#options.session) this.#threads.settle(threads)
    if (threads.length > 0) spool?.settleThreads(session, threads)
    if (isEnd) spool?.settleEnd(session)
  }

  #isOwn(batch: Batch): boolean {
    return batch.session === this.#options.session
  }

  /** What was not told is to be told with the next batch. Those of other sessions stay with theirs. */
  #putBackLosses(batch: Batch): void {
    if (this.#isOwn(batch)) this.#account.putBack(batch.losses.splice(0))
  }

  #fail(message: string, waitMs: number | undefined): void {
    const isFirst = this.#backOff.failures === 0
    this.#lastProblem = message
    // Requests that were under way together fail together, which is one failure.
    if (Date.now() >= this.#blockedUntil || waitMs !== undefined) {
      const wait = this.#backOff.next(waitMs)
      this.#blockedUntil = Date.now() + wait
      this.#setTimer(wait)
    }
    // Told last, as whoever is told may come back with steps of their own.
    if (!isFirst) return
    const { origin, spool, report } = this.#options
    const place = spool === undefined ? 'in memory' : 'in the spool'
    report(`${origin} takes no steps: ${message}. They are kept ${place} and sent when it does`)
  }

  #drop(item: Item, reason: DropReason, message: string): void {
    this.#buffered -= item.held
    this.#account.drop(
      reason,
      message,
      item.session === this.#options.session ? item : { id: item.id },
    )
    this.#options.spool?.settle(item.session, [item], reason)
  }

  #takeAll(): Item[] {
    const items = [...this.#underWay, ...this.#waiting].flatMap((batch) => batch.items)
    items.push(...this.#queue.take(this.#queue.length, Number.POSITIVE_INFINITY))
    this.#waiting = []
    this.#underWay.clear()
    return items
  }

  #isPending(mark: number): boolean {
    const { first } = this.#queue
    if (first !== undefined && first.sequence <= mark) return true
    if (!this.#threads.isEmpty) return true
    for (const batch of this.#underWay) if (this.#isBefore(batch, mark)) return true
    return this.#waiting.some((batch) => this.#isBefore(batch, mark))
  }

  #isBefore({ items, session }: Batch, mark: number): boolean {
    const [first] = items
    return first === undefined || session !== this.#options.session || first.sequence <= mark
  }
}

/** What memory has no room for goes back to being in the spool alone. */
const forgetTexts = ({ items }: Batch): void => {
  for (const item of items)
    if (item.load !== undefined && item.held === 0 && !item.isShrunk) item.text = undefined
}

/** A time that can be waited for. */
export const clamped = (milliseconds: number): number =>
  Number.isNaN(milliseconds) ? FLUSH_TIMEOUT_MS : Math.min(milliseconds, LONGEST_MS)

const problemOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const { code } = error as { code?: unknown }
  if (cause instanceof Error) return problemOf(cause)
  return error.message === '' && typeof code === 'string' ? code : error.message
}
