import { type ExportStats, NO_STATS, type Stats } from '../../outbox/account.js'
import type { DeliveryOptions } from '../../outbox/create-outbox.js'
import { shareOf } from '../../outbox/exit/process-end.js'
import type { FlushOptions } from '../../outbox/limits.js'
import type { StepRecord, ThreadRecord } from '../../outbox/records.js'
import type { Connection } from '../../settings.js'
import type { Step } from '../step.js'
import type { SinkDelivery } from './sink.js'

/** @internal Parts of a client that its exporters share. */
export interface ExporterSetup {
  connection: Connection
  options: DeliveryOptions
  report: (message: string) => void
  recordOpen: (reason: string) => void
  release: string | undefined
}

/** Another receiver of the steps that a client records: made by `otlp()` of `stepwell/otlp`. */
export interface Exporter {
  /** Its name in `stats().exports` and in messages. */
  readonly name: string
  /** @internal */
  readonly createDelivery: (setup: ExporterSetup) => SinkDelivery
}

/** @internal Returns a delivery to the service and to exporters; undefined when there is neither. */
export const withExporters = (
  own: SinkDelivery | undefined,
  exporters: readonly Exporter[],
  setup: ExporterSetup,
): SinkDelivery | undefined => {
  if (exporters.length === 0) return own
  const others = exporters.map((exporter) => ({
    name: exporter.name,
    delivery: exporter.createDelivery(setup),
  }))
  return {
    outbox: new FanOut(own?.outbox, others),
    deliverNow: (timeoutMs, extent) => {
      const deadline = performance.now() + timeoutMs
      const deliveries = others.map(({ delivery }) => delivery)
      if (own !== undefined) deliveries.unshift(own)
      for (const [index, delivery] of deliveries.entries()) {
        const leftMs = Math.max(0, deadline - performance.now())
        const doOthersWait = deliveries
          .slice(index + 1)
          .some(({ outbox }) => outbox.stats().pending > 0)
        delivery.deliverNow(shareOf(leftMs, doOthersWait), extent)
      }
    },
  }
}

type Target = SinkDelivery['outbox']

/** Passes each record to several outboxes. */
class FanOut implements Target {
  readonly #own: Target | undefined
  readonly #others: readonly { name: string; delivery: SinkDelivery }[]
  readonly #all: readonly Target[]

  constructor(
    own: Target | undefined,
    others: readonly { name: string; delivery: SinkDelivery }[],
  ) {
    this.#own = own
    this.#others = others
    const outboxes = others.map(({ delivery }) => delivery.outbox)
    // The service comes first: at an exit they deliver one after another, in the time that is left.
    this.#all = own === undefined ? outboxes : [own, ...outboxes]
  }

  start(): void {
    for (const outbox of this.#all) outbox.start()
  }

  noteStep(step: Step): void {
    for (const outbox of this.#all) outbox.noteStep?.(step)
  }

  noteEnd(step: Step): void {
    for (const outbox of this.#all) outbox.noteEnd?.(step)
  }

  // A copy for each, as an outbox writes its own numbers and moments into the record.
  add(record: StepRecord, size: number): void {
    for (const outbox of this.#all) outbox.add({ ...record }, size)
  }

  addThread(record: ThreadRecord, size?: number): void {
    for (const outbox of this.#all) outbox.addThread({ ...record }, size)
  }

  lose(...loss: Parameters<Target['lose']>): void {
    for (const outbox of this.#all) outbox.lose(...loss)
  }

  // `send` is about the service: others must not delay it.
  async flushLast(): Promise<void> {
    if (this.#own !== undefined) return this.#own.flushLast()
    await Promise.all(this.#all.map((outbox) => outbox.flushLast()))
  }

  async flush(options?: FlushOptions): Promise<void> {
    await Promise.all(this.#all.map((outbox) => outbox.flush(options)))
  }

  async close(options?: FlushOptions): Promise<void> {
    await Promise.all(this.#all.map((outbox) => outbox.close(options)))
  }

  cutOff(): void {
    for (const outbox of this.#all) outbox.cutOff()
  }

  end(): void {
    for (const outbox of this.#all) outbox.end()
  }

  stats(sampledOut = 0, timedOut = 0): Stats {
    const own = this.#own?.stats(sampledOut, timedOut) ?? { ...NO_STATS, sampledOut, timedOut }
    return {
      ...own,
      exports: this.#others.map(({ name, delivery }): ExportStats => {
        const { recorded, delivered, pending, dropped, droppedByReason, lastProblem } =
          delivery.outbox.stats()
        return { name, recorded, delivered, pending, dropped, droppedByReason, lastProblem }
      }),
    }
  }
}
