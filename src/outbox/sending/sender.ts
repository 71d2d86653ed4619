import { isError } from '../../values/is-error.js'
import type { Backlog } from '../backlog.js'
import type { Batch } from '../batch.js'
import type { Host } from '../host.js'
import type { Settlement } from '../settlement.js'
import { type Failure, type Outcome, outcomeOf, unanswered } from './answer.js'
import { BackOff } from './back-off.js'
import { gzip } from './compress.js'
import type { BatchPost } from './http-post.js'
import { blamed, isSuspect, MAX_BLAME, needsProbe } from './suspicion.js'

export interface SenderOptions {
  host: Host
  backlog: Backlog
  settlement: Settlement
  post: BatchPost
  /** Headers of every request. */
  headers: Record<string, string>
  limits: {
    flushIntervalMs: number
    maxRequests: number
    gzipFromBytes: number
    requestTimeoutMs: number
  }
  onChange: () => void
}

/** Delay before a single part is tried again while others are stored. */
const RETRY_MS = 200

/** The failure of parts that the service asks to send again. They are never dropped, however often it asks. */
const UNAVAILABLE: Failure = {
  kind: 'failed',
  message: 'it could not store all steps',
  waitMs: undefined,
  isOfService: false,
  isFinal: false,
}

/** Sends batches of the backlog when they are due, several at a time, and waits while the service fails. */
export class Sender {
  readonly #options: SenderOptions
  readonly #backOff: BackOff
  readonly #reported = new WeakSet<object>()
  /** One for each request under way. */
  readonly #attempts = new Set<AbortController>()
  #blockedUntil = 0
  #lastProblem: string | undefined
  #timerAt = Number.POSITIVE_INFINITY
  #cancelTimer: (() => void) | undefined
  /** The timer was set for the flush interval, or for less. */
  #hasSoonTimer = false
  #isPumping = false
  #isOver = false

  constructor(options: SenderOptions) {
    this.#options = options
    this.#backOff = new BackOff(options.host.random)
  }

  /** The last failure; undefined when the last attempt succeeded. */
  get lastProblem(): string | undefined {
    return this.#lastProblem
  }

  /** True when the last attempt failed. */
  get isFailing(): boolean {
    return this.#backOff.failures > 0
  }

  /** Sends added records within the interval, and at once when they fill a batch. */
  wake(): void {
    const { backlog, limits } = this.#options
    if (backlog.hasFullBatch) this.pumpSoon()
    // Also for the rest, when full batches have gone.
    if (!this.#hasSoonTimer) this.#setTimer(limits.flushIntervalMs)
  }

  /** Allows an attempt now, however the last one ended, unless one is under way. */
  retryNow(): void {
    if (this.#options.backlog.leased.size === 0) this.#blockedUntil = 0
    this.pumpSoon()
  }

  /** Aborts the requests under way: they must not arrive after the ones sent in their place. */
  cutOff(): void {
    for (const attempt of this.#attempts) attempt.abort()
  }

  pumpSoon(): void {
    if (this.#isPumping || this.#isOver) return
    this.#isPumping = true
    this.#options.host.nextTurn(() => {
      this.#isPumping = false
      this.#pump()
    })
  }

  /** Counts an unanswered attempt that was made elsewhere. */
  fail(message: string): void {
    this.#fail(unanswered(message))
  }

  end(): void {
    this.#isOver = true
    this.#cancelTimer?.()
  }

  /** Settles the outcome of a batch that is no longer leased. */
  conclude(batch: Batch, outcome: Outcome): void {
    const { settlement, onChange } = this.#options
    if (outcome.kind === 'divided') return
    if (batch.isProbe) {
      if (outcome.kind === 'delivered') this.#explain()
      else this.#fail(outcome.kind === 'failed' ? outcome : unanswered(outcome.message))
    } else if (outcome.kind === 'failed') {
      settlement.untaken(batch)
      this.#failed(batch, outcome)
    } else {
      const { unavailable, hasStored } = settlement.resolve(batch, outcome)
      if (unavailable === undefined || hasStored) this.#recovered()
      if (unavailable !== undefined) this.#unavailable(unavailable, hasStored)
    }
    onChange()
  }

  /** Starts one request, and continues in the next turn: writing many at once would hold up the application. */
  #pump(): void {
    if (this.#isOver) return
    const { host, backlog, settlement, limits, onChange } = this.#options
    const now = host.elapsed()
    if (this.#blockedUntil > now) {
      this.#setTimer(this.#blockedUntil - now)
      return
    }
    // While the service fails, one attempt at a time is enough.
    const most = this.isFailing ? 1 : limits.maxRequests
    if (backlog.leased.size >= most) return
    const batch = backlog.lease(now)
    if (batch === undefined) {
      const { nextMoment } = backlog
      if (nextMoment > now && nextMoment < Number.POSITIVE_INFINITY)
        this.#setTimer(nextMoment - now)
      return
    }
    this.#attempt(batch).then(
      (outcome) => {
        // It may have been settled in the meantime, as the process ended, or be over.
        if (!backlog.release(batch) || this.#isOver) return
        this.conclude(batch, outcome)
        this.pumpSoon()
      },
      (error) => {
        if (!backlog.release(batch) || this.#isOver) return
        settlement.fault(batch, error)
        onChange()
        this.pumpSoon()
      },
    )
    this.pumpSoon()
  }

  async #attempt(batch: Batch): Promise<Outcome> {
    const { post, headers, limits, settlement } = this.#options
    const body = settlement.body(batch)
    if (body === undefined) return { kind: 'divided' }
    const attempt = new AbortController()
    this.#attempts.add(attempt)
    try {
      const compressed = body.length < limits.gzipFromBytes ? undefined : await gzip(body)
      const sent = compressed === undefined ? headers : { ...headers, 'content-encoding': 'gzip' }
      const { signal } = attempt
      return outcomeOf(await post(compressed ?? body, sent, limits.requestTimeoutMs, signal))
    } catch (error) {
      return unanswered(problemOf(error))
    } finally {
      this.#attempts.delete(attempt)
    }
  }

  #failed(batch: Batch, failure: Failure): void {
    const { backlog } = this.#options
    batch.failures++
    batch.lastFailure = failure
    if (needsProbe(batch)) backlog.putUnexplained(batch)
    else backlog.putFirst(batch)
    if (!isSuspect(batch) || failure.waitMs !== undefined) this.#fail(failure)
  }

  /** Postpones parts that the service could not store; if it stored others, it does not fail as a whole. */
  #unavailable(batch: Batch, isServiceWell: boolean): void {
    const { host, backlog } = this.#options
    if (!isServiceWell || isSuspect(batch)) {
      this.#failed(batch, UNAVAILABLE)
      return
    }
    batch.failures++
    batch.lastFailure = UNAVAILABLE
    batch.notBefore = host.elapsed() + RETRY_MS
    backlog.putFirst(batch)
  }

  /** The service accepted a probe: batches that failed before it are to blame. */
  #explain(): void {
    const { host, backlog, settlement } = this.#options
    for (const batch of backlog.takeUnexplained()) {
      const { lastFailure } = batch
      const isSingle = batch.items.length + batch.threads.length < 2
      if (isSingle && batch.blame + 1 >= MAX_BLAME && lastFailure?.isFinal) {
        settlement.giveUp(
          batch,
          `${lastFailure.message} (${MAX_BLAME} times, while it accepted others)`,
        )
        continue
      }
      const parts = blamed(batch, host.elapsed())
      // First again, in any case: later changes of its threads must not overtake it.
      backlog.putFirst(...parts)
      if (parts.length === 1 && isSuspect(batch)) {
        const [about = batch.threads[0]] = batch.items
        if (about !== undefined && !this.#reported.has(about)) {
          this.#reported.add(about)
          settlement.reportFailure(lastFailure?.message ?? 'it failed', batch)
        }
      }
    }
    this.#recovered()
  }

  #recovered(): void {
    this.#backOff.reset()
    this.#blockedUntil = 0
    this.#lastProblem = undefined
  }

  #fail({ message, waitMs }: Failure): void {
    const { host, settlement } = this.#options
    const isFirst = !this.isFailing
    this.#lastProblem = message
    const now = host.elapsed()
    // Requests that were under way together fail together, and count as one failure.
    if (now >= this.#blockedUntil || waitMs !== undefined) {
      const wait = this.#backOff.next(waitMs)
      this.#blockedUntil = now + wait
      this.#setTimer(wait)
    }
    // Last, as the receiver of the report may record steps.
    if (isFirst) settlement.reportFailure(message, undefined)
  }

  /** Makes everything due after a time, unless that happens earlier anyway. */
  #setTimer(milliseconds: number): void {
    const { host, backlog, limits } = this.#options
    const at = host.elapsed() + milliseconds
    if (this.#cancelTimer !== undefined && this.#timerAt <= at) return
    this.#cancelTimer?.()
    this.#timerAt = at
    this.#hasSoonTimer = milliseconds <= limits.flushIntervalMs
    this.#cancelTimer = host.timer(() => {
      this.#cancelTimer = undefined
      this.#hasSoonTimer = false
      backlog.makeAllDue()
      this.pumpSoon()
    }, milliseconds)
  }
}

const problemOf = (error: unknown): string => {
  if (!isError(error)) return String(error)
  const { cause } = error
  const { code } = error as { code?: unknown }
  if (isError(cause)) return problemOf(cause)
  return error.message === '' && typeof code === 'string' ? code : error.message
}
