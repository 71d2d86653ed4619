import { Origin, ResourceOrigin } from './origin.js'
import type { Decoded, ExportRequest, SPAN } from './schema.js'

/** A span of OpenTelemetry with its origin, in either encoding. Missing times are 0. */
export interface Span extends Decoded<typeof SPAN> {
  origin: Origin
}

/**
 * Returns the spans of a request. Wherever it is in the message, a resource or scope applies to all spans beside it.
 */
export const spansOf = ({ resourceSpans }: ExportRequest): Span[] =>
  resourceSpans.flatMap((ofResource) => {
    const resource = new ResourceOrigin(ofResource)
    return ofResource.scopeSpans.flatMap((ofScope) => {
      const origin = new Origin(resource, ofScope)
      return ofScope.spans.map((span) => ({ ...span, origin }))
    })
  })

export const isTraceId = (id: string): boolean => /^[\da-f]{32}$/.test(id) && !/^0+$/.test(id)
export const isSpanId = (id: string): boolean => /^[\da-f]{16}$/.test(id) && !/^0+$/.test(id)
