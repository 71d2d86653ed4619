import { isObject } from '../domain/values.js'
import { DomainError, show } from '../kernel/errors.js'
import type { Turn } from '../kernel/turns.js'
import type { Budget } from './budget.js'
import { type Attributes, FAILED, type Span } from './span.js'

const badRequest = (message: string) => new DomainError('BAD_REQUEST', message)

/** Lists that may be missing; what is no object in them is passed over. */
const objects = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : []
const NOTHING: Record<string, unknown> = {}
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * Returns a list of messages, which may be missing. A list without any message is no OTLP; beside messages, any other
 * element is read as an empty one, so that those that are right are kept and a span that is none is counted as rejected.
 */
const messages = (value: unknown, field: string): Record<string, unknown>[] => {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && (value.length === 0 || value.some(isObject)))
    return value.map((element) => (isObject(element) ? element : NOTHING))
  throw badRequest(`${field}: expected a list of objects, as OTLP/JSON has it`)
}

/** 64-bit numbers come as texts, and from some as numbers. */
const integer = (value: unknown): bigint => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  return typeof value === 'string' && /^\d{1,19}$/.test(value) ? BigInt(value) : 0n
}

const readValue = (value: unknown, budget: Budget): unknown => {
  budget.spend('item')
  if (!isObject(value)) return null
  if ('stringValue' in value) return text(value.stringValue)
  if ('boolValue' in value) return value.boolValue === true
  if ('intValue' in value) return Number(value.intValue)
  if ('doubleValue' in value) return Number(value.doubleValue)
  if ('bytesValue' in value) return text(value.bytesValue)
  if ('arrayValue' in value) {
    budget.spend('list')
    return objects(isObject(value.arrayValue) ? value.arrayValue.values : []).map((item) =>
      readValue(item, budget),
    )
  }
  if ('kvlistValue' in value)
    return Object.fromEntries(
      readAttributes(isObject(value.kvlistValue) ? value.kvlistValue.values : [], budget),
    )
  return null
}

const readAttributes = (value: unknown, budget: Budget): Attributes =>
  new Map(
    objects(value).map((entry) => {
      budget.spend('attribute')
      return [text(entry.key), readValue(entry.value, budget)]
    }),
  )

const readSpan = (
  span: Record<string, unknown>,
  resource: Attributes,
  scope: unknown,
  budget: Budget,
): Span => {
  budget.spend('span')
  const status = isObject(span.status) ? span.status : {}
  return {
    traceId: text(span.traceId).toLowerCase(),
    spanId: text(span.spanId).toLowerCase(),
    parentSpanId: text(span.parentSpanId).toLowerCase(),
    name: text(span.name),
    start: integer(span.startTimeUnixNano),
    end: integer(span.endTimeUnixNano),
    attributes: readAttributes(span.attributes, budget),
    events: objects(span.events).map((event) => {
      budget.spend('event')
      return { name: text(event.name), attributes: readAttributes(event.attributes, budget) }
    }),
    hasFailed: status.code === FAILED || status.code === 'STATUS_CODE_ERROR',
    message: text(status.message),
    resource,
    scope: isObject(scope) ? text(scope.name) : '',
  }
}

/**
 * Returns the spans of an `ExportTraceServiceRequest` in JSON. A span's missing fields are empty: the caller says what it needs.
 *
 * @throws DomainError with `BAD_REQUEST` for an object that is none.
 */
export const readJson = async (
  body: Record<string, unknown>,
  budget: Budget,
  turn: Turn,
): Promise<Span[]> => {
  const read: Span[] = []
  // Fields that are unknown are for later versions of OTLP; nothing but those is something else.
  if (!('resourceSpans' in body) && Object.keys(body).length > 0)
    throw badRequest(
      `resourceSpans: expected a list, as in an ExportTraceServiceRequest; got ${show(Object.keys(body).slice(0, 5))}`,
    )
  for (const { resource, scopeSpans } of messages(body.resourceSpans, 'resourceSpans')) {
    budget.spend('list')
    const attributes = readAttributes(isObject(resource) ? resource.attributes : [], budget)
    for (const { scope, spans } of messages(scopeSpans, 'resourceSpans.scopeSpans')) {
      budget.spend('list')
      for (const span of messages(spans, 'resourceSpans.scopeSpans.spans')) {
        read.push(readSpan(span, attributes, scope, budget))
        if (budget.isTurn) await turn()
      }
    }
    if (budget.isTurn) await turn()
  }
  return read
}
