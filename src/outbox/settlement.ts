import { Account, addLoss, type DropReason } from './account.js'
import type { Backlog } from './backlog.js'
import { type Batch, bodyOf, dividedBatch, type Item, type Session, sizeOfThread } from './batch.js'
import { resolveAccepted, resolveRejected } from './batch-result.js'
import type { Failure, Outcome } from './sending/answer.js'
import type { Spool } from './spool/spool.js'

/** No request exceeds this size, unless it holds a single step. */
const MAX_BODY_BYTES = 3_900_000
/** Begins the message of a rejection that names the losses of a session, not a step. */
const ABOUT_LOSSES = /^session\.losses\b/

export interface SettlementOptions {
  session: Session
  spool: Spool | undefined
  /** Origin of the service, for messages. */
  origin: string
  report: (message: string) => void
}

/** Writes batches for sending, and settles their outcomes with the account, the backlog and the spool. */
export class Settlement {
  readonly account: Account
  /** Approximate memory of undelivered steps and changes of threads. */
  buffered = 0
  /** True when the service knows the end of the session. */
  isEndTold = false
  readonly #options: SettlementOptions
  readonly #backlog: Backlog
  readonly #encoder = new TextEncoder()

  constructor(options: SettlementOptions, backlog: Backlog) {
    this.account = new Account(options.report)
    this.#options = options
    this.#backlog = backlog
  }

  /** Writes a request's body. Returns undefined when nothing is left to send, or when the batch was divided instead. */
  body(batch: Batch): Uint8Array | undefined {
    if (batch.items.some(({ line }) => line !== undefined)) this.#dropUnreadable(batch)
    const { items, threads, session } = batch
    const isEmpty = items.length === 0 && threads.length === 0
    if (isEmpty && session.endedAt === undefined && !batch.isProbe) {
      // It was to report an end that a later step has cancelled, and maybe losses.
      this.untaken(batch)
      return undefined
    }
    if (this.isOwn(batch) && !batch.isProbe) batch.losses.push(...this.account.takeLosses())
    batch.toldEnd = session.endedAt
    const body = this.#encoder.encode(bodyOf(batch))
    const parts = body.length <= MAX_BODY_BYTES ? [batch] : dividedBatch(batch)
    if (parts.length === 1) return body
    this.untaken(batch)
    this.#backlog.putFirst(...parts)
    return undefined
  }

  /**
   * Settles an answer. Returns the part that the service could not store now, if any, and whether it stored another
   * one.
   */
  resolve(
    batch: Batch,
    outcome: Exclude<Outcome, Failure>,
  ): { unavailable: Batch | undefined; hasStored: boolean } {
    if (outcome.kind === 'divided') return { unavailable: undefined, hasStored: false }
    const { spool, session, origin, report } = this.#options
    const isAccepted = outcome.kind === 'delivered'
    if (!isAccepted && batch.losses.length > 0 && ABOUT_LOSSES.test(outcome.message)) {
      // No step is at fault, and the service notices what is missing without the report too.
      report(`${origin} rejected a report of losses: ${outcome.message}`)
      batch.losses = []
      this.untaken(batch)
      this.#backlog.putFirst(batch)
      return { unavailable: undefined, hasStored: false }
    }
    if (!isAccepted) this.untaken(batch)
    const result = isAccepted ? resolveAccepted(batch, outcome) : resolveRejected(batch, outcome)
    const { stored, settledThreads, unavailable } = result
    if (isAccepted && this.isOwn(batch) && batch.toldEnd !== undefined)
      this.isEndTold ||= batch.toldEnd === session.endedAt
    this.account.delivered += stored.length
    for (const { held } of stored) this.buffered -= held
    if (stored.length > 0) spool?.settle(batch.session, stored, 'delivered')
    for (const { item, reason, message } of result.dropped)
      this.drop(item, reason, `${origin} rejected a step: ${message}`)
    for (const { id, cut } of result.shrunk)
      report(
        `the step ${id} is larger than ${origin} accepts; it is sent with less of its ${cut?.at(-1) ?? 'content'}`,
      )
    for (const { thread, message } of result.refusedThreads)
      this.account.dropThread(
        `${origin} rejected a change of the thread ${thread.record.id}: ${message}`,
        thread.changes.length,
      )
    if (isAccepted)
      for (const message of outcome.refusedScores)
        this.account.dropScore(`${origin} rejected a score: ${message}`)
    for (const thread of settledThreads) this.buffered -= sizeOfThread(thread)
    if (settledThreads.length > 0) spool?.settleThreads(batch.session, settledThreads)
    // Steps dropped in the meantime are reported by another batch, which also brings the end.
    if (result.isOver && batch.isEnd && !this.#backlog.hasLossesOf(batch.session))
      spool?.settleEnd(batch.session)
    this.#backlog.putFirst(...result.again)
    const isStored = stored.length > 0 || settledThreads.length > result.refusedThreads.length
    return { unavailable, hasStored: isStored }
  }

  /** Drops a single step or thread that fails while the service stores others. */
  giveUp(batch: Batch, message: string): void {
    this.resolve(batch, { kind: 'rejected', message })
  }

  /** Settles a batch that could not even be written. */
  fault(batch: Batch, error: unknown): void {
    this.untaken(batch)
    const parts = dividedBatch(batch)
    if (parts.length > 1) this.#backlog.putFirst(...parts)
    else {
      for (const item of batch.items.splice(0))
        this.drop(item, 'internal', `a fault: ${String(error)}`)
      this.giveUp(batch, `a fault: ${String(error)}`)
    }
  }

  /** Reports the first failure in a row, or that of a single step. */
  reportFailure(message: string, batch: Batch | undefined): void {
    const { origin, spool, report } = this.#options
    const place = spool === undefined ? 'in memory' : 'in the spool'
    if (batch === undefined) {
      report(`${origin} accepts no steps: ${message}. They are kept ${place} and sent later`)
      return
    }
    const [item] = batch.items
    const what = item === undefined ? `thread ${batch.threads[0]?.record.id}` : `step ${item.id}`
    report(
      `${origin} does not accept the ${what}, but accepts others: ${message}. It is kept ${place} and tried again`,
    )
  }

  /**
   * Takes back the losses of a batch that was not accepted, for the next one. Those of other sessions stay in theirs.
   */
  untaken(batch: Batch): void {
    if (this.isOwn(batch)) this.account.putBack(batch.losses.splice(0))
    forgetTexts(batch)
  }

  /** Drops a step of this session or of an earlier one, and settles it in the spool. */
  drop(item: Item, reason: DropReason, message: string): void {
    const { session, spool } = this.#options
    this.buffered -= item.held
    const isOwn = item.session === session
    this.account.drop(reason, message, isOwn ? item : { id: item.id })
    if (!isOwn) {
      addLoss(this.#backlog.lossesOf(item.session), reason, item)
      spool?.keepEnd(item.session)
    }
    spool?.settle(item.session, [item], reason)
  }

  /** Returns true for a batch of this client's own session. */
  isOwn(batch: Batch): boolean {
    return batch.session === this.#options.session
  }

  /** Drops steps that cannot be read back: anybody with write access to the spool's folder may have changed it. */
  #dropUnreadable(batch: Batch): void {
    const readable = batch.items.filter((item) => {
      if (item.line === undefined || item.record !== undefined || item.text !== undefined)
        return true
      try {
        item.text = item.line.read()
        return true
      } catch (error) {
        this.drop(item, 'spool', `a step can't be read back from the spool: ${String(error)}`)
        return false
      }
    })
    batch.items.splice(0, batch.items.length, ...readable)
  }
}

/** Removes the steps from memory that the spool has, when there is no room for them. */
export const forgetTexts = ({ items }: Batch): void => {
  for (const item of items)
    if (item.line !== undefined && item.held === 0 && !item.isShrunk) item.text = undefined
}
