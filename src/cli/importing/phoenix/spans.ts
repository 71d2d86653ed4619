import { withoutValue } from '../report.js'
import type { Work } from '../source.js'
import { type Fields, isFields, listOf, momentOf, textOf } from '../values.js'

type Attribute = { key: string; value: Record<string, unknown> }

/** A span of OTLP/JSON. */
interface OtlpSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  startTimeUnixNano?: string
  endTimeUnixNano?: string
  status?: { code: number; message?: string }
  attributes: Attribute[]
  events: { name: string; timeUnixNano?: string; attributes: Attribute[] }[]
}

/** Depth of values in attributes; what is deeper is JSON. */
const MAX_DEPTH = 12

/** Returns a value as OTLP has it; undefined for one that it has none for. */
const anyValue = (value: unknown): Record<string, unknown> | undefined => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value))
    return {
      arrayValue: {
        values: value.flatMap((one) => anyValue(one) ?? { stringValue: JSON.stringify(one) }),
      },
    }
  return value === null || value === undefined ? undefined : { stringValue: JSON.stringify(value) }
}

/**
 * Returns attributes with names of one level, as tracers wrote them: Phoenix takes them apart at each dot, and its data frames
 * put some together again.
 */
const flat = (value: unknown, prefix: string, into: Map<string, unknown>, depth = 0): void => {
  const isDeep = depth > MAX_DEPTH
  if (isFields(value) && !isDeep && Object.keys(value).length > 0) {
    for (const [name, member] of Object.entries(value))
      flat(member, prefix === '' ? name : `${prefix}.${name}`, into, depth + 1)
    return
  }
  if (Array.isArray(value) && value.some(isFields) && !isDeep) {
    for (const [at, element] of value.entries()) flat(element, `${prefix}.${at}`, into, depth + 1)
    return
  }
  into.set(prefix, value)
}

const ELEMENT = /^(.+)\.(\d{1,5})$/

/** Joins the elements of lists of plain values, which Phoenix has taken apart. */
const joined = (attributes: ReadonlyMap<string, unknown>): Map<string, unknown> => {
  const whole = new Map<string, unknown>()
  const lists = new Map<string, unknown[]>()
  for (const [name, value] of attributes) {
    const [, list, at] = ELEMENT.exec(name) ?? []
    if (list === undefined || typeof value === 'object') {
      whole.set(name, value)
      continue
    }
    const elements = lists.get(list) ?? []
    elements[Number(at)] = value
    lists.set(list, elements)
  }
  for (const [name, elements] of lists)
    whole.set(
      name,
      Array.from(elements, (one) => one ?? ''),
    )
  return whole
}

const attributesOf = (given: unknown): Map<string, unknown> => {
  const found = new Map<string, unknown>()
  if (isFields(given)) flat(given, '', found)
  found.delete('')
  return joined(found)
}

const toList = (attributes: ReadonlyMap<string, unknown>): Attribute[] =>
  [...attributes].flatMap(([key, given]) => {
    const value = anyValue(given)
    return value === undefined ? [] : [{ key, value }]
  })

/** Returns nanoseconds since 1970; undefined when the value is no moment. */
const nanoseconds = (value: unknown): string | undefined => {
  const moment = momentOf(value)?.moment
  if (moment === undefined) return undefined
  const [, micros = ''] = /\.\d{3}(\d{1,3})/.exec(moment) ?? []
  const ms = Date.parse(moment)
  return ms < 0 ? undefined : `${BigInt(ms) * 1_000_000n + BigInt(micros.padEnd(3, '0')) * 1000n}`
}

const STATUS: ReadonlyMap<string, number> = new Map([
  ['OK', 1],
  ['ERROR', 2],
])

/** Columns of a data frame that hold attributes. */
const COLUMN = 'attributes.'
const FIELDS = new Set([
  ...['id', 'name', 'context', 'context.trace_id', 'context.span_id', 'span_kind', 'parent_id'],
  ...['start_time', 'end_time', 'status_code', 'status_message', 'attributes', 'events'],
  ...['trace_id', 'span_id', 'cumulative_error_count', 'cumulative_llm_token_count_prompt'],
  'cumulative_llm_token_count_completion',
])

/** Returns true for a span, as the REST API and data frames write it. */
export const isSpan = (record: Fields): boolean =>
  (isFields(record.context) || 'context.span_id' in record) && 'start_time' in record

/** Converts a span of Phoenix to one of OTLP, which the service understands; notes what is not as it was. */
export const toOtlp = (record: Fields, { report }: Pick<Work, 'report'>): OtlpSpan => {
  const context = isFields(record.context) ? record.context : {}
  const spanId = textOf(context.span_id) ?? textOf(record['context.span_id']) ?? ''
  const traceId = textOf(context.trace_id) ?? textOf(record['context.trace_id']) ?? ''
  const attributes = attributesOf(record.attributes)
  const columns = new Map<string, unknown>()
  for (const [name, value] of Object.entries(record)) {
    // Empty cells of a data frame.
    if (value === null) continue
    if (name.startsWith(COLUMN)) flat(value, name.slice(COLUMN.length), columns)
    else if (!FIELDS.has(name)) {
      report.changed('spans', `${name}: kept as an attribute phoenix.${name}`, spanId)
      flat(value, `phoenix.${name}`, columns)
    }
  }
  for (const [name, value] of joined(columns)) attributes.set(name, value)
  const kind = textOf(record.span_kind)
  if (kind !== undefined && !attributes.has('openinference.span.kind'))
    attributes.set('openinference.span.kind', kind)
  const parent = textOf(record.parent_id)
  const code = STATUS.get(textOf(record.status_code)?.toUpperCase() ?? '')
  const message = textOf(record.status_message)
  for (const field of ['start_time', 'end_time'] as const) {
    const read = momentOf(record[field])
    if (read === undefined && record[field] !== undefined && record[field] !== null)
      report.changed('spans', `${field}: no moment, left out`, spanId)
    if (read?.hadNoZone) report.changed('spans', `${field}: without a zone, read as UTC`, spanId)
  }
  if (parent === spanId && parent !== undefined)
    report.changed('spans', 'a span that is its own parent: it is a root', spanId)
  return {
    traceId,
    spanId,
    name: textOf(record.name) ?? '',
    ...given('parentSpanId', parent === spanId ? undefined : parent),
    ...given('startTimeUnixNano', nanoseconds(record.start_time)),
    ...given('endTimeUnixNano', nanoseconds(record.end_time)),
    ...given('status', code === undefined ? undefined : { code, ...given('message', message) }),
    attributes: toList(attributes),
    events: eventsOf(record.events),
  }
}

const given = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [key in Name]?: Value }

const eventsOf = (events: unknown): OtlpSpan['events'] =>
  (Array.isArray(events) ? events.filter(isFields) : []).map((event) => ({
    name: textOf(event.name) ?? '',
    ...given('timeUnixNano', nanoseconds(event.timestamp)),
    attributes: toList(attributesOf(event.attributes)),
  }))

const MAX_SPANS = 200
const MAX_CHARACTERS = 2_000_000

/** Sends spans to the service as an exporter of OpenTelemetry would, so that they are understood by its rules. */
export const sendSpans = async (work: Work, spans: readonly OtlpSpan[]): Promise<void> => {
  let some: OtlpSpan[] = []
  let characters = 0
  for (const span of spans) {
    const size = JSON.stringify(span).length
    if (some.length >= MAX_SPANS || (some.length > 0 && characters + size > MAX_CHARACTERS)) {
      await sendSome(work, some, ofPhoenix)
      some = []
      characters = 0
    }
    some.push(span)
    characters += size
  }
  if (some.length > 0) await sendSome(work, some, ofPhoenix)
}

/** The request that has spans, of which some may be left out. */
type RequestOf<Span> = (spans: readonly Span[]) => unknown

const ofPhoenix: RequestOf<OtlpSpan> = (spans) => ({
  resourceSpans: [
    { resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'phoenix' }, spans }] },
  ],
})

/** Sends spans together; when some are refused, sends them in halves, so that each one is named. */
const sendSome = async <Span extends { spanId?: unknown }>(
  work: Work,
  spans: readonly Span[],
  requestOf: RequestOf<Span>,
): Promise<void> => {
  const { target, report } = work
  const [only] = spans
  if (only === undefined) return
  const id = spans.length === 1 ? textOf(only.spanId) : undefined
  const { reason, isRefused } = await target.sendTraces(requestOf(spans))
  if (!isRefused) {
    report.kept('spans', spans.length)
    if (reason !== '') report.changed('spans', withoutValue(reason), id)
    return
  }
  if (spans.length === 1) {
    report.dropped('spans', withoutValue(reason), id)
    return
  }
  const middle = Math.ceil(spans.length / 2)
  await sendSome(work, spans.slice(0, middle), requestOf)
  await sendSome(work, spans.slice(middle), requestOf)
}

/** Sends a saved request of OTLP with all that it says of its spans, and names those that are refused. */
export const sendRequest = async (work: Work, request: Fields): Promise<void> => {
  const scopes = listOf(request.resourceSpans).flatMap((resource) =>
    listOf(resource.scopeSpans).map((scope) => ({ resource, scope, spans: listOf(scope.spans) })),
  )
  const all = scopes.flatMap(({ spans }) => spans)
  work.report.read('spans', all.length)
  await sendSome(work, all, (some) => {
    if (some === all) return request
    const chosen = new Set(some)
    const parts = scopes.map((part) => ({
      ...part,
      spans: part.spans.filter((span) => chosen.has(span)),
    }))
    return {
      resourceSpans: parts
        .filter(({ spans }) => spans.length > 0)
        .map(({ resource, scope, spans }) => ({ ...resource, scopeSpans: [{ ...scope, spans }] })),
    }
  })
}
