// Spans as tracers of OpenTelemetry have them, in versions 1 and 2: nothing is imported from there.
import type { SpanEvent } from './span.js'
import { allAttributesOf, type KeyValue } from './values.js'

/** Seconds and nanoseconds. */
type HrTime = readonly [number, number]
type Attributes = Readonly<Record<string, unknown>>

interface SpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
  readonly isRemote?: boolean | undefined
  readonly traceState?: { serialize(): string } | undefined
}

/** The origin of spans: an application, a host. */
export interface SpanResource {
  readonly attributes: Attributes
  readonly schemaUrl?: string | undefined
  /** True while some attributes are still being found out. */
  readonly asyncAttributesPending?: boolean | undefined
  waitForAsyncAttributes?(): Promise<unknown>
}

/** The instrumentation that made a span. */
export interface SpanScope {
  readonly name: string
  readonly version?: string | undefined
  readonly schemaUrl?: string | undefined
}

/** A span that has ended, as processors of OpenTelemetry get it. */
export interface ReadableSpan {
  readonly name: string
  readonly kind: number
  spanContext(): SpanContext
  /** Version 2. */
  readonly parentSpanContext?: SpanContext | undefined
  /** Version 1. */
  readonly parentSpanId?: string | undefined
  readonly startTime: HrTime
  readonly endTime: HrTime
  readonly status: { readonly code: number; readonly message?: string | undefined }
  readonly attributes: Attributes
  readonly events: readonly {
    readonly name: string
    readonly time: HrTime
    readonly attributes?: Attributes | undefined
    readonly droppedAttributesCount?: number | undefined
  }[]
  readonly links: readonly {
    readonly context: SpanContext
    readonly attributes?: Attributes | undefined
    readonly droppedAttributesCount?: number | undefined
  }[]
  readonly droppedAttributesCount?: number | undefined
  readonly droppedEventsCount?: number | undefined
  readonly droppedLinksCount?: number | undefined
  readonly resource: SpanResource
  /** Version 2. */
  readonly instrumentationScope?: SpanScope | undefined
  /** Version 1. */
  readonly instrumentationLibrary?: SpanScope | undefined
}

interface OtlpLink {
  traceId: string
  spanId: string
  traceState?: string
  attributes: KeyValue[]
  droppedAttributesCount: number
  flags: number
}

/** A span in OTLP/JSON. */
export interface OtlpSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  traceState?: string
  flags: number
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: KeyValue[]
  droppedAttributesCount: number
  events: (SpanEvent & { droppedAttributesCount: number })[]
  droppedEventsCount: number
  links: OtlpLink[]
  droppedLinksCount: number
  status: { code: number; message?: string }
}

const SAMPLED = 1

/** Returns false for a span that its tracer decided to leave out. */
export const isSampled = (span: ReadableSpan): boolean =>
  (span.spanContext().traceFlags & SAMPLED) !== 0

/** Returns a span in OTLP/JSON, with everything that it carries. */
export const toOtlp = (span: ReadableSpan): OtlpSpan => {
  const context = span.spanContext()
  const { traceId, spanId, traceState } = context
  const { parentSpanContext: parent, status } = span
  const parentSpanId = parent?.spanId ?? span.parentSpanId
  const { message } = status
  return {
    traceId,
    spanId,
    ...(parentSpanId ? { parentSpanId } : {}),
    ...(traceState === undefined ? {} : { traceState: traceState.serialize() }),
    flags: flagsOf(context, parent?.isRemote),
    name: span.name,
    // There, 0 is "internal": in OTLP it is "unspecified".
    kind: span.kind + 1,
    startTimeUnixNano: nanosecondsOf(span.startTime),
    endTimeUnixNano: nanosecondsOf(span.endTime),
    attributes: allAttributesOf(span.attributes),
    droppedAttributesCount: span.droppedAttributesCount ?? 0,
    events: span.events.map(({ name, time, attributes = {}, droppedAttributesCount = 0 }) => ({
      name,
      timeUnixNano: nanosecondsOf(time),
      attributes: allAttributesOf(attributes),
      droppedAttributesCount,
    })),
    droppedEventsCount: span.droppedEventsCount ?? 0,
    links: span.links.map(({ context: linked, attributes = {}, droppedAttributesCount = 0 }) => ({
      traceId: linked.traceId,
      spanId: linked.spanId,
      ...(linked.traceState === undefined ? {} : { traceState: linked.traceState.serialize() }),
      attributes: allAttributesOf(attributes),
      droppedAttributesCount,
      flags: flagsOf(linked, linked.isRemote),
    })),
    droppedLinksCount: span.droppedLinksCount ?? 0,
    status: { code: status.code, ...(message === undefined ? {} : { message }) },
  }
}

const HAS_REMOTE = 0x100
const IS_REMOTE = 0x200

const flagsOf = ({ traceFlags }: SpanContext, isRemote = false): number =>
  (traceFlags & 0xff) | HAS_REMOTE | (isRemote ? IS_REMOTE : 0)

const nanosecondsOf = ([seconds, nanoseconds]: HrTime): string => {
  const whole = Math.trunc(seconds)
  const rest = Math.round(nanoseconds + (seconds - whole) * 1e9)
  // Of a clock that was no clock: 0 is an unknown time.
  return Number.isFinite(rest) ? String(BigInt(whole) * 1_000_000_000n + BigInt(rest)) : '0'
}
