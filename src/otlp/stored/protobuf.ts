// The binary encoding of OTLP, of as much as spans of steps need. The numbers are those of opentelemetry-proto 1.x.
import type { Span, SpanEvent } from '../span.js'
import type { KeyValue } from '../values.js'

const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const NO_BYTES = Buffer.alloc(0)

const varint = (given: bigint): Buffer => {
  const bytes: number[] = []
  let value = BigInt.asUintN(64, given)
  for (; value > 0x7fn; value >>= 7n) bytes.push(Number(value & 0x7fn) | 0x80)
  bytes.push(Number(value))
  return Buffer.from(bytes)
}

const small = (value: number): Buffer =>
  value < 0x80 ? Buffer.from([value]) : varint(BigInt(value))
const key = (number: number, type: number): Buffer => small((number << 3) | type)

/** Writes a field of any length. Proto3 leaves out what is empty, but for members of a `oneof`. */
const bytes = (number: number, content: Buffer, isAlways = false): Buffer =>
  content.length === 0 && !isAlways
    ? NO_BYTES
    : Buffer.concat([key(number, BYTES), small(content.length), content])
const text = (number: number, value: string | undefined, isAlways = false): Buffer =>
  value === undefined ? NO_BYTES : bytes(number, Buffer.from(value), isAlways)
const id = (number: number, digits: string | undefined): Buffer =>
  digits === undefined ? NO_BYTES : bytes(number, Buffer.from(digits, 'hex'))
const count = (number: number, value: number | undefined): Buffer =>
  value === undefined || value === 0 ? NO_BYTES : Buffer.concat([key(number, VARINT), small(value)])

const fixed64 = (number: number, nanoseconds: string): Buffer => {
  const content = Buffer.alloc(8)
  content.writeBigUInt64LE(BigInt.asUintN(64, BigInt(nanoseconds)))
  return Buffer.concat([key(number, FIXED_64), content])
}

const double = (number: number, value: number | string): Buffer => {
  const content = Buffer.alloc(8)
  content.writeDoubleLE(Number(value))
  return Buffer.concat([key(number, FIXED_64), content])
}

const anyValue = (value: KeyValue['value']): Buffer => {
  if ('stringValue' in value) return text(1, value.stringValue, true)
  if ('boolValue' in value) return Buffer.concat([key(2, VARINT), small(value.boolValue ? 1 : 0)])
  if ('intValue' in value) return Buffer.concat([key(3, VARINT), varint(BigInt(value.intValue))])
  if ('doubleValue' in value) return double(4, value.doubleValue)
  if ('arrayValue' in value)
    return bytes(
      5,
      Buffer.concat(value.arrayValue.values.map((one) => bytes(1, anyValue(one), true))),
      true,
    )
  return NO_BYTES
}

const attributes = (number: number, list: readonly KeyValue[]): Buffer =>
  Buffer.concat(
    list.map((one) =>
      bytes(number, Buffer.concat([text(1, one.key), bytes(2, anyValue(one.value), true)])),
    ),
  )

const event = ({ name, timeUnixNano, attributes: of }: SpanEvent): Buffer =>
  Buffer.concat([fixed64(1, timeUnixNano), text(2, name), attributes(3, of)])

/** Writes a span, for `writeRequest`. */
export const writeSpan = (span: Span): Buffer =>
  Buffer.concat([
    id(1, span.traceId),
    id(2, span.spanId),
    id(4, span.parentSpanId),
    text(5, span.name),
    count(6, span.kind),
    fixed64(7, span.startTimeUnixNano),
    fixed64(8, span.endTimeUnixNano),
    attributes(9, span.attributes),
    ...span.events.map((one) => bytes(11, event(one))),
    bytes(15, Buffer.concat([text(2, span.status.message), count(3, span.status.code)])),
  ])

/** Spans of one resource, in protobuf. */
export interface WrittenSpans {
  resource: readonly KeyValue[]
  spans: readonly Buffer[]
}

/** Writes a request for spans. */
export const writeRequest = (
  groups: readonly WrittenSpans[],
  scope: { name: string; version: string },
): Buffer =>
  Buffer.concat(
    groups.map(({ resource, spans }) =>
      bytes(
        1,
        Buffer.concat([
          bytes(1, attributes(1, resource)),
          bytes(
            2,
            Buffer.concat([
              bytes(1, Buffer.concat([text(1, scope.name), text(2, scope.version)])),
              ...spans.map((one) => bytes(2, one)),
            ]),
          ),
        ]),
      ),
    ),
  )

/** The answer of a receiver that took a request, or a part of it. */
export interface PartialSuccess {
  rejected: number
  message: string
}

/** Reads the answer to a request; nothing was rejected when it is none. */
export const readAnswer = (answer: Buffer): PartialSuccess => {
  const said: PartialSuccess = { rejected: 0, message: '' }
  for (const [number, content] of fieldsOf(answer))
    if (number === 1 && Buffer.isBuffer(content))
      for (const [inner, value] of fieldsOf(content))
        if (inner === 1 && typeof value === 'bigint')
          said.rejected = Math.max(0, Number(BigInt.asIntN(64, value)))
        else if (inner === 2 && Buffer.isBuffer(value)) said.message = value.toString()
  return said
}

/** Reads the message in the error of a receiver, a `Status`; undefined when it has none. */
export const readStatusMessage = (error: Buffer): string | undefined => {
  for (const [number, content] of fieldsOf(error))
    if (number === 2 && Buffer.isBuffer(content)) return content.toString()
  return undefined
}

/** Reads the fields of a message up to its end, or to where it is no message. */
function* fieldsOf(message: Buffer): Generator<[number, bigint | Buffer]> {
  let at = 0
  const next = (): bigint | undefined => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at++]
      if (byte === undefined) return undefined
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    return undefined
  }
  while (at < message.length) {
    const head = next()
    if (head === undefined) return
    const [number, type] = [Number(head >> 3n), Number(head & 7n)]
    if (type === VARINT) {
      const value = next()
      if (value === undefined) return
      yield [number, value]
      continue
    }
    const length = type === BYTES ? next() : type === FIXED_64 ? 8n : type === 5 ? 4n : undefined
    if (length === undefined || length > BigInt(message.length - at)) return
    yield [number, message.subarray(at, at + Number(length))]
    at += Number(length)
  }
}
