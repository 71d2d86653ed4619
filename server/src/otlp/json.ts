import { isObject } from '../domain/values.js'
import { type Attributes, FAILED, type Span } from './span.js'

/** Lists that may be missing; what is no object in them is passed over. */
const objects = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : []
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** 64-bit numbers come as texts, and from some as numbers. */
const integer = (value: unknown): bigint => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  return typeof value === 'string' && /^\d{1,19}$/.test(value) ? BigInt(value) : 0n
}

const readValue = (value: unknown): unknown => {
  if (!isObject(value)) return null
  if ('stringValue' in value) return text(value.stringValue)
  if ('boolValue' in value) return value.boolValue === true
  if ('intValue' in value) return Number(value.intValue)
  if ('doubleValue' in value) return Number(value.doubleValue)
  if ('bytesValue' in value) return text(value.bytesValue)
  if ('arrayValue' in value)
    return objects(isObject(value.arrayValue) ? value.arrayValue.values : []).map(readValue)
  if ('kvlistValue' in value)
    return Object.fromEntries(
      readAttributes(isObject(value.kvlistValue) ? value.kvlistValue.values : []),
    )
  return null
}

const readAttributes = (value: unknown): Attributes =>
  new Map(objects(value).map((entry) => [text(entry.key), readValue(entry.value)]))

/** The spans of an `ExportTraceServiceRequest` in JSON. What is not there is empty: the caller says what it needs. */
export const readJson = (body: Record<string, unknown>): Span[] =>
  objects(body.resourceSpans).flatMap(({ resource, scopeSpans }) => {
    const attributes = readAttributes(isObject(resource) ? resource.attributes : [])
    return objects(scopeSpans).flatMap(({ scope, spans }) =>
      objects(spans).map((span): Span => {
        const status = isObject(span.status) ? span.status : {}
        return {
          traceId: text(span.traceId).toLowerCase(),
          spanId: text(span.spanId).toLowerCase(),
          parentSpanId: text(span.parentSpanId).toLowerCase(),
          name: text(span.name),
          start: integer(span.startTimeUnixNano),
          end: integer(span.endTimeUnixNano),
          attributes: readAttributes(span.attributes),
          events: objects(span.events).map((event) => ({
            name: text(event.name),
            attributes: readAttributes(event.attributes),
          })),
          hasFailed: status.code === FAILED || status.code === 'STATUS_CODE_ERROR',
          message: text(status.message),
          resource: attributes,
          scope: isObject(scope) ? text(scope.name) : '',
        }
      }),
    )
  })
