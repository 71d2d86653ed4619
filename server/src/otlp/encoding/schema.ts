// The messages of OTLP as data: names as in OTLP/JSON, numbers as in protobuf. They are those of opentelemetry-proto
// 1.x (trace_service, logs_service, trace, logs, common, resource), which are frozen there. Other fields are skipped.
import type { Part } from './budget.js'

/** Attributes of a span, its resource or one of its events. A map, as strangers choose the names. */
export interface Attributes extends ReadonlyMap<string, unknown> {
  /** The earlier values of names that come several times; the map has the last one. */
  readonly repeated?: readonly (readonly [string, unknown])[] | undefined
}

/** Attributes while they are read. */
export class AttributeMap extends Map<string, unknown> implements Attributes {
  repeated: [string, unknown][] | undefined

  add(name: string, value: unknown): void {
    if (this.has(name)) {
      this.repeated ??= []
      this.repeated.push([name, this.get(name)])
    }
    this.set(name, value)
  }
}

/** The types of fields other than messages, after reading. */
interface Scalars {
  text: string
  /** Bytes, as lower-case hexadecimal digits. */
  id: string
  /** Since 1970. */
  nanoseconds: bigint
  /** A number of 32 bits without a sign. */
  count: number
  /** The same, with a constant length in protobuf. */
  fixed32: number
  /** A list of `KeyValue`, as a map. */
  attributes: Attributes
  /** An `AnyValue`; null when it is missing. */
  value: unknown
}

interface ScalarField<Kind extends keyof Scalars = keyof Scalars> {
  readonly number: number
  readonly kind: Kind
}
interface EnumField {
  readonly number: number
  readonly names: readonly string[]
}
interface MessageField<Of extends Message = Message> {
  readonly number: number
  readonly message: Of
}
interface ListField<Of extends Message = Message> {
  readonly number: number
  readonly items: Of
}
export type Field = ScalarField | EnumField | MessageField | ListField

export interface Message {
  /** Its cost. */
  readonly part: Part
  /** True when it is so large that others get their turn while it is read. Its lists hold only messages. */
  readonly isLong: boolean
  readonly fields: Readonly<Record<string, Field>>
}

type DecodedField<F> = F extends ScalarField<infer Kind>
  ? Scalars[Kind]
  : F extends EnumField
    ? number
    : F extends MessageField<infer Of>
      ? Decoded<Of> | undefined
      : F extends ListField<infer Of>
        ? Decoded<Of>[]
        : never

/** A message read from either encoding. Missing fields have the defaults of protobuf. */
export type Decoded<M extends Message> = {
  -readonly [Name in keyof M['fields']]: DecodedField<M['fields'][Name]>
} & Withheld

interface Withheld {
  /** Of a span, resource or scope: attributes, events and links that were left out, as there were too many. */
  withheld?: number
}

const short = <const Fields extends Message['fields']>(part: Part, fields: Fields) => ({
  part,
  isLong: false as const,
  fields,
})
const long = <const Fields extends Message['fields']>(fields: Fields) => ({
  part: 'group' as const,
  isLong: true as const,
  fields,
})

const EVENT = short('event', {
  timeUnixNano: { number: 1, kind: 'nanoseconds' },
  name: { number: 2, kind: 'text' },
  attributes: { number: 3, kind: 'attributes' },
  droppedAttributesCount: { number: 4, kind: 'count' },
})

const LINK = short('link', {
  traceId: { number: 1, kind: 'id' },
  spanId: { number: 2, kind: 'id' },
  traceState: { number: 3, kind: 'text' },
  attributes: { number: 4, kind: 'attributes' },
  droppedAttributesCount: { number: 5, kind: 'count' },
  flags: { number: 6, kind: 'fixed32' },
})

const STATUS = short('status', {
  message: { number: 2, kind: 'text' },
  code: { number: 3, names: ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR'] },
})
/** The code of a status that means failure. */
export const FAILED = STATUS.fields.code.names.indexOf('STATUS_CODE_ERROR')

/** Returns the short name of a status or kind, `ok` or `client`; the number of one that later versions have. */
const shortName =
  (names: readonly string[], prefix: string) =>
  (code: number): string | number =>
    names[code]?.slice(prefix.length).toLowerCase() ?? code

export const SPAN = short('span', {
  traceId: { number: 1, kind: 'id' },
  spanId: { number: 2, kind: 'id' },
  traceState: { number: 3, kind: 'text' },
  parentSpanId: { number: 4, kind: 'id' },
  name: { number: 5, kind: 'text' },
  kind: {
    number: 6,
    names: [
      'SPAN_KIND_UNSPECIFIED',
      'SPAN_KIND_INTERNAL',
      'SPAN_KIND_SERVER',
      'SPAN_KIND_CLIENT',
      'SPAN_KIND_PRODUCER',
      'SPAN_KIND_CONSUMER',
    ],
  },
  startTimeUnixNano: { number: 7, kind: 'nanoseconds' },
  endTimeUnixNano: { number: 8, kind: 'nanoseconds' },
  attributes: { number: 9, kind: 'attributes' },
  droppedAttributesCount: { number: 10, kind: 'count' },
  events: { number: 11, items: EVENT },
  droppedEventsCount: { number: 12, kind: 'count' },
  links: { number: 13, items: LINK },
  droppedLinksCount: { number: 14, kind: 'count' },
  status: { number: 15, message: STATUS },
  flags: { number: 16, kind: 'fixed32' },
})

export const statusName = shortName(STATUS.fields.code.names, 'STATUS_CODE_')
export const kindName = shortName(SPAN.fields.kind.names, 'SPAN_KIND_')

const RESOURCE = short('event', {
  attributes: { number: 1, kind: 'attributes' },
  droppedAttributesCount: { number: 2, kind: 'count' },
})
const SCOPE = short('event', {
  name: { number: 1, kind: 'text' },
  version: { number: 2, kind: 'text' },
  attributes: { number: 3, kind: 'attributes' },
  droppedAttributesCount: { number: 4, kind: 'count' },
})

const SCOPE_SPANS = long({
  scope: { number: 1, message: SCOPE },
  spans: { number: 2, items: SPAN },
  schemaUrl: { number: 3, kind: 'text' },
})

const RESOURCE_SPANS = long({
  resource: { number: 1, message: RESOURCE },
  scopeSpans: { number: 2, items: SCOPE_SPANS },
  schemaUrl: { number: 3, kind: 'text' },
})

export type ResourceSpans = Decoded<typeof RESOURCE_SPANS>
export type ScopeSpans = Decoded<typeof SCOPE_SPANS>
const EXPORT_REQUEST = long({ resourceSpans: { number: 1, items: RESOURCE_SPANS } })
export type ExportRequest = Decoded<typeof EXPORT_REQUEST>

export const LOG_RECORD = short('log', {
  timeUnixNano: { number: 1, kind: 'nanoseconds' },
  severityNumber: { number: 2, names: [] },
  severityText: { number: 3, kind: 'text' },
  body: { number: 5, kind: 'value' },
  attributes: { number: 6, kind: 'attributes' },
  droppedAttributesCount: { number: 7, kind: 'count' },
  flags: { number: 8, kind: 'fixed32' },
  traceId: { number: 9, kind: 'id' },
  spanId: { number: 10, kind: 'id' },
  observedTimeUnixNano: { number: 11, kind: 'nanoseconds' },
  eventName: { number: 12, kind: 'text' },
})

const SCOPE_LOGS = long({
  scope: { number: 1, message: SCOPE },
  logRecords: { number: 2, items: LOG_RECORD },
  schemaUrl: { number: 3, kind: 'text' },
})

const RESOURCE_LOGS = long({
  resource: { number: 1, message: RESOURCE },
  scopeLogs: { number: 2, items: SCOPE_LOGS },
  schemaUrl: { number: 3, kind: 'text' },
})

const EXPORT_LOGS_REQUEST = long({ resourceLogs: { number: 1, items: RESOURCE_LOGS } })
export type ExportLogsRequest = Decoded<typeof EXPORT_LOGS_REQUEST>

/** The requests of one signal. */
export interface Signal<Of extends Message = Message> {
  /** The name of the message. */
  readonly name: string
  readonly message: Of
  /** The name of its list. */
  readonly list: string
}

export const TRACES: Signal<typeof EXPORT_REQUEST> = {
  name: 'ExportTraceServiceRequest',
  message: EXPORT_REQUEST,
  list: 'resourceSpans',
}
export const LOGS: Signal<typeof EXPORT_LOGS_REQUEST> = {
  name: 'ExportLogsServiceRequest',
  message: EXPORT_LOGS_REQUEST,
  list: 'resourceLogs',
}

/** Returns a message with all fields missing, and with lists and maps of its own. */
export const emptyMessage = (message: Message): Record<string, unknown> => {
  const empty: Record<string, unknown> = {}
  for (const name in message.fields) empty[name] = defaultOf(message.fields[name] as Field)
  return empty
}

const defaultOf = (field: Field): unknown => {
  if ('items' in field) return []
  if ('message' in field) return undefined
  if ('names' in field) return 0
  if (field.kind === 'attributes') return new AttributeMap()
  if (field.kind === 'value') return null
  if (field.kind === 'count' || field.kind === 'fixed32') return 0
  return field.kind === 'nanoseconds' ? 0n : ''
}
