// The messages of OTLP as data: names as in OTLP/JSON, numbers as in protobuf. They are those of opentelemetry-proto
// 1.x (trace_service, trace, common, resource), which are frozen there. Other fields are skipped.
import type { Part } from './budget.js'

/** Attributes of a span, its resource or one of its events. A map, as strangers choose the names. */
export type Attributes = ReadonlyMap<string, unknown>

/** The types of fields other than messages, after reading. */
interface Scalars {
  text: string
  /** Bytes, as lower-case hexadecimal digits. */
  id: string
  /** Since 1970. */
  nanoseconds: bigint
  /** A list of `KeyValue`, as a map. */
  attributes: Attributes
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
}

const short = <const Fields extends Message['fields']>(part: Part, fields: Fields) => ({
  part,
  isLong: false as const,
  fields,
})
const long = <const Fields extends Message['fields']>(fields: Fields) => ({
  part: 'list' as const,
  isLong: true as const,
  fields,
})

const EVENT = short('event', {
  name: { number: 2, kind: 'text' },
  attributes: { number: 3, kind: 'attributes' },
})

const STATUS = short('item', {
  message: { number: 2, kind: 'text' },
  code: { number: 3, names: ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR'] },
})
/** The code of a status that means failure. */
export const FAILED = STATUS.fields.code.names.indexOf('STATUS_CODE_ERROR')

export const SPAN = short('span', {
  traceId: { number: 1, kind: 'id' },
  spanId: { number: 2, kind: 'id' },
  parentSpanId: { number: 4, kind: 'id' },
  name: { number: 5, kind: 'text' },
  startTimeUnixNano: { number: 7, kind: 'nanoseconds' },
  endTimeUnixNano: { number: 8, kind: 'nanoseconds' },
  attributes: { number: 9, kind: 'attributes' },
  events: { number: 11, items: EVENT },
  status: { number: 15, message: STATUS },
})

const RESOURCE = short('item', { attributes: { number: 1, kind: 'attributes' } })
const SCOPE = short('item', { name: { number: 1, kind: 'text' } })

const SCOPE_SPANS = long({
  scope: { number: 1, message: SCOPE },
  spans: { number: 2, items: SPAN },
})

const RESOURCE_SPANS = long({
  resource: { number: 1, message: RESOURCE },
  scopeSpans: { number: 2, items: SCOPE_SPANS },
})

export const EXPORT_REQUEST = long({ resourceSpans: { number: 1, items: RESOURCE_SPANS } })
export type ExportRequest = Decoded<typeof EXPORT_REQUEST>

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
  if (field.kind === 'attributes') return new Map()
  return field.kind === 'nanoseconds' ? 0n : ''
}
