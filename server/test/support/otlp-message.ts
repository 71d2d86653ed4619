import { PbfWriter } from 'pbf'

/** A message of OTLP in its JSON form. */
export type Encoded = Readonly<Record<string, unknown>>

type Kind = 'text' | 'hex' | 'base64' | 'fixed64' | 'fixed32' | 'varint' | 'double' | 'boolean'
type Fields = Readonly<Record<string, readonly [number, Kind | (() => Fields)]>>

const anyValue = (): Fields => ({
  stringValue: [1, 'text'],
  boolValue: [2, 'boolean'],
  intValue: [3, 'varint'],
  doubleValue: [4, 'double'],
  arrayValue: [5, () => ({ values: [1, anyValue] })],
  kvlistValue: [6, () => ({ values: [1, keyValue] })],
  bytesValue: [7, 'base64'],
})
const keyValue = (): Fields => ({ key: [1, 'text'], value: [2, anyValue] })
const event = (): Fields => ({
  timeUnixNano: [1, 'fixed64'],
  name: [2, 'text'],
  attributes: [3, keyValue],
  droppedAttributesCount: [4, 'varint'],
})
const link = (): Fields => ({
  traceId: [1, 'hex'],
  spanId: [2, 'hex'],
  traceState: [3, 'text'],
  attributes: [4, keyValue],
  droppedAttributesCount: [5, 'varint'],
  flags: [6, 'fixed32'],
})
const span = (): Fields => ({
  traceId: [1, 'hex'],
  spanId: [2, 'hex'],
  traceState: [3, 'text'],
  parentSpanId: [4, 'hex'],
  name: [5, 'text'],
  kind: [6, 'varint'],
  startTimeUnixNano: [7, 'fixed64'],
  endTimeUnixNano: [8, 'fixed64'],
  attributes: [9, keyValue],
  droppedAttributesCount: [10, 'varint'],
  events: [11, event],
  droppedEventsCount: [12, 'varint'],
  links: [13, link],
  droppedLinksCount: [14, 'varint'],
  status: [15, () => ({ message: [2, 'text'], code: [3, 'varint'] })],
  flags: [16, 'fixed32'],
})
const scope = (): Fields => ({
  name: [1, 'text'],
  version: [2, 'text'],
  attributes: [3, keyValue],
  droppedAttributesCount: [4, 'varint'],
})
const scopeSpans = (): Fields => ({ scope: [1, scope], spans: [2, span], schemaUrl: [3, 'text'] })
const resource = (): Fields => ({
  attributes: [1, keyValue],
  droppedAttributesCount: [2, 'varint'],
})
const resourceSpans = (): Fields => ({
  resource: [1, resource],
  scopeSpans: [2, scopeSpans],
  schemaUrl: [3, 'text'],
})
const request = (): Fields => ({ resourceSpans: [1, resourceSpans] })
const logRecord = (): Fields => ({
  timeUnixNano: [1, 'fixed64'],
  severityNumber: [2, 'varint'],
  severityText: [3, 'text'],
  body: [5, anyValue],
  attributes: [6, keyValue],
  droppedAttributesCount: [7, 'varint'],
  flags: [8, 'fixed32'],
  traceId: [9, 'hex'],
  spanId: [10, 'hex'],
  observedTimeUnixNano: [11, 'fixed64'],
  eventName: [12, 'text'],
})
const scopeLogs = (): Fields => ({
  scope: [1, scope],
  logRecords: [2, logRecord],
  schemaUrl: [3, 'text'],
})
const resourceLogs = (): Fields => ({
  resource: [1, resource],
  scopeLogs: [2, scopeLogs],
  schemaUrl: [3, 'text'],
})
const logsRequest = (): Fields => ({ resourceLogs: [1, resourceLogs] })

/** Written by hand, as the writer takes numbers that lose the last digits of 64 bits. */
const varint = (writer: PbfWriter, value: bigint) => {
  const bytes: number[] = []
  for (let rest = BigInt.asUintN(64, value); ; rest >>= 7n) {
    bytes.push(Number(rest & 0x7fn) | (rest < 128n ? 0 : 128))
    if (rest < 128n) break
  }
  for (const byte of bytes) {
    writer.writeVarint(0)
    writer.buf[writer.pos - 1] = byte
  }
}

const write = (writer: PbfWriter, message: Encoded, fields: Fields): void => {
  for (const [name, value] of Object.entries(message)) {
    const found = fields[name]
    if (found === undefined) throw new Error(`${name}: expected a field of OTLP`)
    for (const one of Array.isArray(value) ? value : [value]) writeField(writer, one, ...found)
  }
}

const writeField = (
  writer: PbfWriter,
  value: unknown,
  number: number,
  kind: Kind | (() => Fields),
): void => {
  const tag = (type: number) => writer.writeVarint((number << 3) | type)
  if (typeof kind === 'function')
    writer.writeMessage(
      number,
      ((_: unknown, inner: PbfWriter) => write(inner, value as Encoded, kind())) as never,
      undefined,
    )
  else if (kind === 'text') writer.writeBytesField(number, Buffer.from(String(value)))
  else if (kind === 'hex' || kind === 'base64')
    writer.writeBytesField(number, Buffer.from(String(value), kind))
  else if (kind === 'boolean') writer.writeBooleanField(number, value === true)
  else if (kind === 'double') writer.writeDoubleField(number, Number(value))
  else if (kind === 'varint') {
    tag(0)
    varint(writer, BigInt(value as string | number))
  } else if (kind === 'fixed32') {
    tag(5)
    writer.writeFixed32(Number(value))
  } else {
    tag(1)
    const bits = BigInt(value as string)
    writer.writeFixed32(Number(bits & 0xffffffffn))
    writer.writeFixed32(Number(bits >> 32n))
  }
}

/** Writes an `ExportTraceServiceRequest` in its JSON form as protobuf, or one of logs. */
export const toProtobuf = (message: Encoded): Uint8Array<ArrayBuffer> => {
  const writer = new PbfWriter()
  write(writer, message, 'resourceLogs' in message ? logsRequest() : request())
  return new Uint8Array(writer.finish())
}
