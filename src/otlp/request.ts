import type { Json } from '../model-calls/json.js'
import { type ExportedStep, toSpan } from './span.js'
import { attributesOf } from './values.js'

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/** Returns the records in the body of a batch. */
export const recordsIn = <Of>(body: Uint8Array): Of[] =>
  (JSON.parse(decoder.decode(body)) as { variables: { steps: Of[] } }).variables.steps

/** Returns a request for spans. One without any asks if the receiver takes some. */
export const requestOf = (resourceSpans: readonly object[]): Uint8Array =>
  encoder.encode(JSON.stringify({ resourceSpans }))

/** Returns a function that converts the body of a batch into a request for spans, in OTLP/JSON. */
export const requestWriter =
  (resource: Json, scope: { name: string; version: string }, hasContent: boolean) =>
  (body: Uint8Array): Uint8Array => {
    const spans = recordsIn<ExportedStep>(body).map((step) => toSpan(step, hasContent))
    return requestOf(
      spans.length === 0
        ? []
        : [{ resource: { attributes: attributesOf(resource) }, scopeSpans: [{ scope, spans }] }],
    )
  }
