import type { Decoded, ExportRequest, SPAN } from './encoding/schema.js'
import { Origin, ResourceOrigin } from './keeping/origin.js'

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
      // No copies: with those of a large request, the memory of it would be twice as much.
      return ofScope.spans.map((span) =>
        Object.assign(span, { origin, parentSpanId: parentOf(span) }),
      )
    })
  })

/** Some exporters write that a span has no parent as an id of zeros, which is none. */
const parentOf = ({ parentSpanId }: { parentSpanId: string }): string =>
  /^0{16}$/.test(parentSpanId) ? '' : parentSpanId

export const isTraceId = (id: string): boolean => /^[\da-f]{32}$/.test(id) && !/^0+$/.test(id)
export const isSpanId = (id: string): boolean => /^[\da-f]{16}$/.test(id) && !/^0+$/.test(id)
