import type { Attributes, Decoded, ExportRequest, SPAN } from './schema.js'

/** A span of OpenTelemetry with its origin, whichever encoding it came in. Moments are 0 where none was said. */
export interface Span extends Decoded<typeof SPAN> {
  resource: Attributes
  /** The name of the instrumentation scope. */
  scope: string
}

const NONE: Attributes = new Map()

/** Returns the spans of a request. Whatever its place in the message, a resource or scope is that of all spans beside it. */
export const spansOf = ({ resourceSpans }: ExportRequest): Span[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map((span) => ({
        ...span,
        resource: resource?.attributes ?? NONE,
        scope: scope?.name ?? '',
      })),
    ),
  )

export const isTraceId = (id: string): boolean => /^[\da-f]{32}$/.test(id) && !/^0+$/.test(id)
export const isSpanId = (id: string): boolean => /^[\da-f]{16}$/.test(id) && !/^0+$/.test(id)
