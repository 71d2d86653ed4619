import { PbfWriter } from 'pbf'

/** A span as in OTLP's JSON, with attributes as plain values. */
export interface GivenSpan {
  traceId?: string
  spanId?: string
  parentSpanId?: string
  name?: string
  start?: bigint
  end?: bigint
  attributes?: Record<string, unknown>
  events?: { name: string; time?: bigint; attributes?: Record<string, unknown> }[]
  status?: { code: number; message?: string }
}
export interface Given {
  resource?: Record<string, unknown>
  scope?: string
  spans: GivenSpan[]
}

export const jsonValue = (value: unknown): object => {
  if (value === null || value === undefined) return {}
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'bigint') return { intValue: String(value) }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(jsonValue) } }
  return { kvlistValue: { values: jsonAttributes(value as Record<string, unknown>) } }
}
export const jsonAttributes = (attributes: Record<string, unknown> = {}) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: jsonValue(value) }))

/** Writes an exporter's request as JSON. */
export const asJson = ({ resource, scope, spans }: Given): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: jsonAttributes(resource) },
        scopeSpans: [
          {
            scope: { name: scope },
            spans: spans.map(({ start, end, attributes, events, ...span }) => ({
              ...span,
              ...(start === undefined ? {} : { startTimeUnixNano: String(start) }),
              ...(end === undefined ? {} : { endTimeUnixNano: String(end) }),
              attributes: jsonAttributes(attributes),
              events: events?.map((event) => ({
                name: event.name,
                ...(event.time === undefined ? {} : { timeUnixNano: String(event.time) }),
                attributes: jsonAttributes(event.attributes),
              })),
            })),
          },
        ],
      },
    ],
  })

type Write = (writer: PbfWriter) => void
const message = (writer: PbfWriter, field: number, write: Write) =>
  writer.writeMessage(field, ((_: unknown, inner: PbfWriter) => write(inner)) as never, undefined)
const bytes = (writer: PbfWriter, field: number, hex: string | undefined) => {
  if (hex !== undefined) writer.writeBytesField(field, Buffer.from(hex, 'hex'))
}
/** Written as bytes, as the writer's own texts lose characters beyond the first plane. */
const text = (writer: PbfWriter, field: number, value: string) =>
  writer.writeBytesField(field, Buffer.from(value))
const fixed64 = (writer: PbfWriter, field: number, value: bigint | undefined) => {
  if (value === undefined) return
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64LE(value)
  // Written by hand, as the writer takes numbers that lose nanoseconds.
  writer.writeVarint((field << 3) | 1)
  for (const half of [buffer.readUInt32LE(0), buffer.readUInt32LE(4)]) writer.writeFixed32(half)
}
const protobufValue = (writer: PbfWriter, value: unknown): void => {
  if (typeof value === 'string') text(writer, 1, value)
  else if (typeof value === 'boolean') writer.writeBooleanField(2, value)
  else if (typeof value === 'number' && Number.isSafeInteger(value))
    writer.writeVarintField(3, value)
  else if (typeof value === 'number') writer.writeDoubleField(4, value)
  else if (Array.isArray(value))
    message(writer, 5, (list) => {
      for (const item of value) message(list, 1, (one) => protobufValue(one, item))
    })
  else if (value !== null && value !== undefined)
    message(writer, 6, (list) => protobufAttributes(list, 1, value as Record<string, unknown>))
}
const protobufAttributes = (
  writer: PbfWriter,
  field: number,
  attributes: Record<string, unknown> = {},
) => {
  for (const [key, value] of Object.entries(attributes))
    message(writer, field, (entry) => {
      text(entry, 1, key)
      message(entry, 2, (one) => protobufValue(one, value))
    })
}

/** Writes the same request as protobuf. */
export const asProtobuf = ({ resource, scope = '', spans }: Given): Uint8Array<ArrayBuffer> => {
  const writer = new PbfWriter()
  message(writer, 1, (resourceSpans) => {
    message(resourceSpans, 1, (one) => protobufAttributes(one, 1, resource))
    message(resourceSpans, 2, (scopeSpans) => {
      message(scopeSpans, 1, (one) => text(one, 1, scope))
      for (const span of spans)
        message(scopeSpans, 2, (one) => {
          bytes(one, 1, span.traceId)
          bytes(one, 2, span.spanId)
          bytes(one, 4, span.parentSpanId)
          text(one, 5, span.name ?? '')
          fixed64(one, 7, span.start)
          fixed64(one, 8, span.end)
          protobufAttributes(one, 9, span.attributes)
          for (const event of span.events ?? [])
            message(one, 11, (inner) => {
              fixed64(inner, 1, event.time)
              text(inner, 2, event.name)
              protobufAttributes(inner, 3, event.attributes)
            })
          const { status } = span
          if (status !== undefined)
            message(one, 15, (inner) => {
              text(inner, 2, status.message ?? '')
              inner.writeVarintField(3, status.code)
            })
        })
    })
  })
  return new Uint8Array(writer.finish())
}
