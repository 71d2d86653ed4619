import type { Attributes, Decoded, ExportRequest, SPAN } from './schema.js'

/** A span of OpenTelemetry with its origin, in either encoding. Missing times are 0. */
export interface Span extends Decoded<typeof SPAN> {
  resource: Attributes
  /** The name of the instrumentation scope. */
  scope: string
}

const NONE: Attributes = new Map()

/**
 * Returns the spans of a request. Wherever it is in the message, a resource or scope applies to all spans beside it.
 */
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
