import { Origin, ResourceOrigin } from '../../src/otlp/keeping/origin.js'
import type { Span } from '../../src/otlp/span.js'

const nowhere = { resource: undefined, schemaUrl: '' }
const origin = new Origin(new ResourceOrigin(nowhere), { scope: undefined, schemaUrl: '' })

/** Returns a span as a request's decoder makes it. */
export const spanOf = (given: Partial<Span> & { traceId: string; spanId: string }): Span => ({
  parentSpanId: '',
  name: `run ${given.spanId}`,
  startTimeUnixNano: 1n,
  endTimeUnixNano: 2n,
  kind: 0,
  traceState: '',
  flags: 0,
  attributes: new Map(),
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  links: [],
  droppedLinksCount: 0,
  status: undefined,
  origin,
  ...given,
})
