/** What a span, its resource or one of its events says. A map, as strangers choose the names. */
export type Attributes = ReadonlyMap<string, unknown>

/** A span of OpenTelemetry, whichever encoding it came in. Moments are nanoseconds since 1970; 0 where none was said. */
export interface Span {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  /** Empty for the first span of a trace. */
  parentSpanId: string
  name: string
  start: bigint
  end: bigint
  attributes: Attributes
  events: readonly { name: string; attributes: Attributes }[]
  hasFailed: boolean
  /** What the span says of its failure. */
  message: string
  resource: Attributes
  /** The name of what instrumented it. */
  scope: string
}

/** The code of a status that says that something failed. */
export const FAILED = 2

export const isTraceId = (id: string): boolean => /^[\da-f]{32}$/.test(id) && !/^0+$/.test(id)
export const isSpanId = (id: string): boolean => /^[\da-f]{16}$/.test(id) && !/^0+$/.test(id)
