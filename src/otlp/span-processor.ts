import { mustBeFunction } from '../errors.js'
import { NO_STATS, type Stats } from '../outbox/account.js'
import type { Delivery, DeliveryOptions } from '../outbox/create-outbox.js'
import type { StepRecord } from '../outbox/records.js'
import { type ConnectionOptions, readConnection } from '../settings.js'
import { reasonOf } from '../values/capture.js'
import { reporter } from '../values/reporter.js'
import { VERSION } from '../version.js'
import { ofService } from './answers.js'
import { createSpanDelivery } from './delivery.js'
import { Origins } from './origins.js'
import { isSampled, type OtlpSpan, type ReadableSpan, toOtlp } from './readable-span.js'

export interface SpanProcessorOptions
  extends ConnectionOptions,
    Omit<DeliveryOptions, 'spool' | 'exitTimeoutMs'> {
  /** Returns false for a span that is not recorded, such as one of a database. Default: all are. */
  filter?: ((span: ReadableSpan) => boolean) | undefined
}

/** A record whose step the service makes of a span. */
interface SpanRecord extends Pick<StepRecord, 'id'> {
  span: OtlpSpan
  /** The number of its origin. */
  origin: number
}

/**
 * Records the spans of an OpenTelemetry tracer as steps, beside its other processors: with the buffer, the repeated
 * attempts, the delivery at the end of the process and the account of losses that a client has. It costs a few
 * microseconds when a span ends. Spans that a sampler left out are not recorded.
 *
 * @example
 * import { StepwellSpanProcessor } from 'stepwell/otlp'
 * import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
 * const provider = new BasicTracerProvider({ spanProcessors: [new StepwellSpanProcessor()] })
 */
export class StepwellSpanProcessor {
  readonly #delivery: Delivery | undefined
  readonly #origins: Origins
  readonly #filter: ((span: ReadableSpan) => boolean) | undefined
  readonly #report: (message: string) => void

  /** @throws `INVALID_ARGUMENT` when an option is invalid. A missing key does not throw: nothing is recorded then. */
  constructor(options: SpanProcessorOptions = {}) {
    const connection = readConnection(options)
    const { filter, onReport } = options
    if (filter !== undefined) mustBeFunction('filter', filter)
    if (onReport !== undefined) mustBeFunction('onReport', onReport)
    const { apiKey, apiUrl, fetch, environment } = connection
    this.#filter = filter
    this.#report = reporter(onReport)
    this.#origins = new Origins(environment)
    if (connection.disabled) return
    if (apiKey === undefined) {
      this.#report(
        'no spans are recorded, as there is no API key: set STEPWELL_API_KEY, or STEPWELL_DISABLED=1 where that is meant to be',
      )
      return
    }
    this.#delivery = createSpanDelivery(
      {
        url: `${apiUrl}/v1/traces`,
        headers: {
          'x-api-key': apiKey,
          'x-client-name': 'stepwell-ts',
          'x-client-version': VERSION,
        },
        fetch,
        understand: ofService,
        write: (body) => this.#origins.write(body),
        ready: () => this.#origins.known(),
      },
      { connection, options, report: this.#report, recordOpen: () => {}, release: undefined },
    )
  }

  /** Called by the tracer. A span is recorded when it ends. */
  onStart(): void {}

  /** Called by the tracer. Never throws: a span that can't be read is counted as dropped, and reported. */
  onEnd(span: ReadableSpan): void {
    const outbox = this.#delivery?.outbox
    if (outbox === undefined) return
    try {
      if (!isSampled(span) || this.#filter?.(span) === false) return
      const read = toOtlp(span)
      const record: SpanRecord = {
        id: `${read.traceId}-${read.spanId}`,
        span: read,
        origin: this.#origins.of(span),
      }
      outbox.start()
      outbox.add(record as unknown as StepRecord, sizeOf(read))
    } catch (error) {
      outbox.lose('internal', `a span can't be read: ${reasonOf(error)}`)
    }
  }

  /** Delivers the spans that ended before; called by the tracer's own method of this name. */
  async forceFlush(): Promise<void> {
    await this.#delivery?.outbox.flush()
  }

  /** Delivers the spans that ended before, and records no others. */
  async shutdown(): Promise<void> {
    await this.#delivery?.outbox.close()
  }

  /** Returns the numbers of recorded, delivered, pending and dropped spans. */
  stats(): Stats {
    return this.#delivery?.outbox.stats() ?? NO_STATS
  }
}

/** The size of a span beside its texts, in characters. */
const SPAN_SIZE = 600
const MEMBER_SIZE = 60

/** Returns the approximate size of a span as JSON, in characters. */
const sizeOf = ({ attributes, events, links }: OtlpSpan): number => {
  let size = SPAN_SIZE + sizeOfMembers(attributes)
  for (const event of events) size += MEMBER_SIZE + sizeOfMembers(event.attributes)
  for (const link of links) size += 4 * MEMBER_SIZE + sizeOfMembers(link.attributes)
  return size
}

const sizeOfMembers = (members: OtlpSpan['attributes']): number => {
  let size = 0
  for (const { key, value } of members) size += MEMBER_SIZE + key.length + sizeOfValue(value)
  return size
}

const sizeOfValue = (value: OtlpSpan['attributes'][number]['value']): number => {
  if ('stringValue' in value) return value.stringValue.length
  if (!('arrayValue' in value)) return 0
  return value.arrayValue.values.reduce((sum, one) => sum + MEMBER_SIZE + sizeOfValue(one), 0)
}
