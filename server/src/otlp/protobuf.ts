// The binary encoding of OTLP/HTTP. Numbers of fields are those of opentelemetry-proto 1.x (trace_service, trace, common,
// resource), which are frozen there.
import { PbfReader, PbfWriter } from 'pbf'
import { DomainError } from '../domain/errors.js'
import { FAILED, type Span } from './span.js'

const BYTES = 2
/** Values may nest; as deep as payloads may is more than any tracer sends. */
const DEEPEST = 100

type Read<T> = (field: number, result: T, reader: PbfReader) => void

/** A nested message; what is none is skipped by the reader. */
const nested = <T>(reader: PbfReader, read: Read<T>, result: T): T => {
  if (reader.type === BYTES) reader.readMessage(read as never, result)
  return result
}
/** By way of the bytes: the reader's own texts lose characters beyond the first plane. */
const text = (reader: PbfReader): string =>
  reader.type === BYTES ? Buffer.from(reader.readBytes()).toString() : ''
const hex = (reader: PbfReader): string =>
  reader.type === BYTES ? Buffer.from(reader.readBytes()).toString('hex') : ''

/** A double could not hold it to the microsecond. */
const fixed64 = (reader: PbfReader): bigint => {
  const low = BigInt(reader.readFixed32())
  return (BigInt(reader.readFixed32()) << 32n) | low
}

const readValue = (reader: PbfReader, depth: number): unknown => {
  if (depth > DEEPEST)
    throw new DomainError('BAD_REQUEST', `body: values nest more than ${DEEPEST} deep`)
  const found: { value: unknown } = { value: null }
  nested<typeof found>(
    reader,
    (field, result) => {
      if (field === 1) result.value = text(reader)
      else if (field === 2) result.value = reader.readBoolean()
      else if (field === 3) result.value = reader.readVarint(true)
      else if (field === 4) result.value = reader.readDouble()
      else if (field === 5) {
        const items: unknown[] = []
        nested<unknown[]>(
          reader,
          (at, list) => {
            if (at === 1) list.push(readValue(reader, depth + 1))
          },
          items,
        )
        result.value = items
      } else if (field === 6) {
        const members = new Map<string, unknown>()
        nested<Map<string, unknown>>(
          reader,
          (at, map) => {
            if (at === 1) readAttribute(reader, map, depth + 1)
          },
          members,
        )
        result.value = Object.fromEntries(members)
      } else if (field === 7 && reader.type === BYTES)
        result.value = Buffer.from(reader.readBytes()).toString('base64')
    },
    found,
  )
  return found.value
}

const readAttribute = (reader: PbfReader, into: Map<string, unknown>, depth = 0): void => {
  const found: { key: string; value: unknown } = { key: '', value: null }
  nested<typeof found>(
    reader,
    (field, result) => {
      if (field === 1) result.key = text(reader)
      else if (field === 2) result.value = readValue(reader, depth)
    },
    found,
  )
  into.set(found.key, found.value)
}

const readSpan = (reader: PbfReader, span: Draft): Draft =>
  nested<Draft>(
    reader,
    (field, result) => {
      if (field === 1) result.traceId = hex(reader)
      else if (field === 2) result.spanId = hex(reader)
      else if (field === 4) result.parentSpanId = hex(reader)
      else if (field === 5) result.name = text(reader)
      else if (field === 7) result.start = fixed64(reader)
      else if (field === 8) result.end = fixed64(reader)
      else if (field === 9) readAttribute(reader, result.attributes)
      else if (field === 11) {
        const event = { name: '', attributes: new Map<string, unknown>() }
        nested<typeof event>(
          reader,
          (at, one) => {
            if (at === 2) one.name = text(reader)
            else if (at === 3) readAttribute(reader, one.attributes)
          },
          event,
        )
        result.events.push(event)
      } else if (field === 15)
        nested<Draft>(
          reader,
          (at, one) => {
            if (at === 2) one.message = text(reader)
            else if (at === 3) one.hasFailed = reader.readVarint() === FAILED
          },
          result,
        )
    },
    span,
  )

type Draft = Omit<Span, 'attributes' | 'events'> & {
  attributes: Map<string, unknown>
  events: { name: string; attributes: Map<string, unknown> }[]
}

const emptySpan = (resource: Map<string, unknown>): Draft => ({
  traceId: '',
  spanId: '',
  parentSpanId: '',
  name: '',
  start: 0n,
  end: 0n,
  attributes: new Map(),
  events: [],
  hasFailed: false,
  message: '',
  resource,
  scope: '',
})

const readScope = (reader: PbfReader, resource: Map<string, unknown>, spans: Draft[]): void => {
  const own: Draft[] = []
  const scope = { name: '' }
  nested<Draft[]>(
    reader,
    (field, result) => {
      if (field === 1)
        nested<typeof scope>(
          reader,
          (at, one) => {
            if (at === 1) one.name = text(reader)
          },
          scope,
        )
      else if (field === 2) result.push(readSpan(reader, emptySpan(resource)))
    },
    own,
  )
  for (const span of own) spans.push(Object.assign(span, { scope: scope.name }))
}

/** The spans of an `ExportTraceServiceRequest`. Throws `BAD_REQUEST` for what is none. */
export const readProtobuf = (bytes: Uint8Array): Span[] => {
  const spans: Draft[] = []
  const reader = new PbfReader(bytes)
  try {
    reader.readFields(
      ((field: number) => {
        if (field !== 1) return
        // Whatever its place in the message, a resource is that of all spans beside it.
        const resource = new Map<string, unknown>()
        nested<Draft[]>(
          reader,
          (at, result) => {
            if (at === 1)
              nested<Map<string, unknown>>(
                reader,
                (one, attributes) => {
                  if (one === 1) readAttribute(reader, attributes)
                },
                resource,
              )
            else if (at === 2) readScope(reader, resource, result)
          },
          spans,
        )
      }) as never,
      undefined,
    )
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw new DomainError(
      'BAD_REQUEST',
      `body: expected an ExportTraceServiceRequest in protobuf, ${(error as Error).message.slice(0, 200)}`,
    )
  }
  return spans
}

/** An `ExportTraceServiceResponse`. */
export const writeProtobuf = (rejected: number, message: string): Uint8Array => {
  const writer = new PbfWriter()
  if (rejected > 0)
    writer.writeMessage(
      1,
      (_: unknown, partial?: PbfWriter) => {
        partial?.writeVarintField(1, rejected)
        partial?.writeBytesField(2, Buffer.from(message))
      },
      undefined,
    )
  return writer.finish()
}
