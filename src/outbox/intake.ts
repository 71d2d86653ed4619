import type { DropReason } from './account.js'
import type { Backlog } from './backlog.js'
import { type Item, type Session, textOfItem } from './batch.js'
import type { StepRecord, ThreadRecord } from './records.js'
import type { Settlement } from './settlement.js'
import type { Spool } from './spool/spool.js'

export interface IntakeOptions {
  session: Session
  limits: { maxBufferBytes: number }
  spool: Spool | undefined
  /** Origin of the service, for messages. */
  origin: string
}

/** Adds steps and changes of threads to the backlog, and to the spool, as far as there is room. */
export class Intake {
  /** The number of the step that was recorded last. */
  sequence = 0
  /** The place of the last record, including changes of threads and records without room. */
  order = 0
  /** Rejects everything once closed. */
  isClosed = false
  readonly #options: IntakeOptions
  readonly #backlog: Backlog
  readonly #settlement: Settlement

  constructor(options: IntakeOptions, backlog: Backlog, settlement: Settlement) {
    this.#options = options
    this.#backlog = backlog
    this.#settlement = settlement
  }

  /**
   * Adds a step; returns true when it is kept. Costs next to nothing: it is written as JSON when it is sent. `problem`
   * is the last one of the service.
   */
  add(record: StepRecord, size: number, problem: string | undefined): boolean {
    const { session, spool, limits, origin } = this.#options
    const settlement = this.#settlement
    const { account } = settlement
    const sequence = ++this.sequence
    record.sessionId = session.id
    record.sequence = sequence
    session.recorded = sequence
    account.recorded++
    const { id, threadId } = record
    if (this.isClosed) {
      const message = 'a step was recorded after the client was closed'
      account.drop('closed', message, { id, sequence, threadId })
      return false
    }
    session.endedAt = undefined
    settlement.isEndTold = false
    const isFull = settlement.buffered + size > limits.maxBufferBytes
    const order = ++this.order
    if (isFull && spool === undefined) {
      const why = problem ?? 'they are recorded faster than delivered'
      const message = `the buffer of ${limits.maxBufferBytes} bytes is full while ${origin} accepts no steps (${why})`
      account.drop('memory', message, { id, sequence, threadId })
      return false
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
    if (spool !== undefined && !this.#toSpool(spool, item, isFull)) return false
    settlement.buffered += item.held
    this.#backlog.add(item)
    return true
  }

  /** Adds a change of a thread, of about `size` characters; returns true when it is kept. */
  addThread(record: ThreadRecord, size: number): boolean {
    const { spool, limits } = this.#options
    const settlement = this.#settlement
    if (this.isClosed) {
      settlement.account.dropThread(
        `the thread ${record.id} was changed after the client was closed`,
      )
      return false
    }
    const order = ++this.order
    if (settlement.buffered + size > limits.maxBufferBytes && spool === undefined) {
      settlement.account.dropThread(
        `the buffer of ${limits.maxBufferBytes} bytes is full; a change of the thread ${record.id} is lost`,
      )
      return false
    }
    const mark = spool?.appendThread(record)
    settlement.buffered += size
    this.#backlog.addThread({ record, mark, order, size })
    return true
  }

  /** Counts a step that a bug in this SDK lost, so that it does not vanish. */
  lose(reason: DropReason, message: string): void {
    const { account } = this.#settlement
    const sequence = ++this.sequence
    account.recorded++
    this.#options.session.recorded = sequence
    account.drop(reason, message, { sequence })
  }

  /** Writes a step to the spool; returns true when it is kept there, in memory, or in both. */
  #toSpool(spool: Spool, item: Item, isFull: boolean): boolean {
    const text = textOfItem(item)
    const line = spool.append(item.sequence, text, isFull)
    item.line = line
    item.record = undefined
    item.text = text
    if (line !== undefined) {
      // Without room in memory it is read back when its turn comes.
      if (isFull) {
        item.text = undefined
        item.held = 0
      }
      return true
    }
    if (!isFull) return true
    this.#settlement.account.drop('spool', 'the spool and the buffer are full', item)
    return false
  }
}
