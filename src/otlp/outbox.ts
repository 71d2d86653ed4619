import type { Outbox } from '../outbox/outbox.js'
import type { StepRecord, ThreadRecord } from '../outbox/records.js'
import type { SinkDelivery } from '../tracing/recording/sink.js'
import type { Step } from '../tracing/step.js'
import { traceIdOf } from '../tracing/trace-ids.js'
import { now } from '../values/clock.js'

/** Entries that are remembered; of older traces, the id of the root run gives the same in nearly all cases. */
const MAX_KNOWN = 10_000

/** An outbox whose steps become spans: adds the trace and the user of each, which only its context and its thread have. */
export class SpanOutbox implements Pick<Outbox, 'start' | 'add' | 'addThread'> {
  readonly #outbox: Outbox
  readonly #traces = new Map<string, string>()
  readonly #users = new Map<string, string>()

  constructor(outbox: Outbox) {
    this.#outbox = outbox
  }

  /** Returns it with the methods of the outbox that stay as they are. */
  asSink(): SinkDelivery['outbox'] {
    const outbox = this.#outbox
    return {
      start: () => outbox.start(),
      noteStep: (step) => this.noteStep(step),
      add: (record, size) => this.add(record, size),
      addThread: (record) => this.addThread(record),
      lose: (reason, message) => outbox.lose(reason, message),
      flushLast: () => outbox.flushLast(),
      flush: (options) => outbox.flush(options),
      close: (options) => outbox.close(options),
      cutOff: () => outbox.cutOff(),
      end: () => outbox.end(),
      stats: (sampledOut, timedOut) => outbox.stats(sampledOut, timedOut),
    }
  }

  start(): void {
    this.#outbox.start()
  }

  noteStep({ id, context }: Step): void {
    const traceId = context === undefined ? undefined : traceIdOf(context)
    if (traceId !== undefined) remember(this.#traces, id, traceId)
  }

  add(record: StepRecord, size: number): void {
    if (isFile(record)) return
    const { id, threadId } = record
    // A span needs a start. That of a step may be unknown, or be withheld as it was no moment.
    record.startTime ??= record.endTime ?? now()
    const traceId = this.#traces.get(id)
    const userId = threadId === undefined ? undefined : this.#users.get(threadId)
    this.#outbox.add(Object.assign(record, { traceId, userId }), size)
  }

  /** Remembers the participant of a thread, as spans name their user; threads themselves have no spans. */
  addThread({ id, participantId }: ThreadRecord): void {
    if (participantId !== undefined) remember(this.#users, id, participantId)
  }
}

/** Returns true for files that are added to a recorded step, which has its span by then: a span is sent once. */
const isFile = (record: StepRecord): boolean => !('endTime' in record)

const remember = (known: Map<string, string>, key: string, value: string): void => {
  known.delete(key)
  known.set(key, value)
  if (known.size > MAX_KNOWN) known.delete(known.keys().next().value as string)
}
