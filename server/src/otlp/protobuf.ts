// The binary encoding of OTLP/HTTP. Numbers of fields are those of opentelemetry-proto 1.x (trace_service, trace, common,
// resource), which are frozen there.
import { PbfReader, PbfWriter } from 'pbf'
import { DomainError } from '../kernel/errors.js'
import type { Turn } from '../kernel/turns.js'
import type { Budget } from './budget.js'
import { FAILED, type Span } from './span.js'

const BYTES = 2
/** Values may nest; as deep as payloads may is more than any tracer sends. */
const MAX_DEPTH = 100

type Read<T> = (field: number, result: T, reader: PbfReader) => void

/** A nested message; what is none is skipped by the reader. */
const nested = <T>(reader: PbfReader, read: Read<T>, result: T): T => {
  if (reader.type !== BYTES) return result
  const end = endOf(reader)
  reader.readFields(read as never, result, end)
  if (reader.pos !== end) throw new Error('a field ends beyond its message')
  return result
}
/** Returns where the message ends that the reader stands at, which must be within what came. */
const endOf = (reader: PbfReader): number => {
  const end = reader.readVarint() + reader.pos
  if (end > reader.length) throw new Error('it is cut off')
  return end
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

const readValue = (reader: PbfReader, budget: Budget, depth: number): unknown => {
  budget.spend('item')
  if (depth > MAX_DEPTH)
    throw new DomainError('BAD_REQUEST', `body: values nest more than ${MAX_DEPTH} deep`)
  const found: { value: unknown } = { value: null }
  nested<typeof found>(
    reader,
    (field, result) => {
      if (field === 1) result.value = text(reader)
      else if (field === 2) result.value = reader.readBoolean()
      else if (field === 3) result.value = reader.readVarint(true)
      else if (field === 4) result.value = reader.readDouble()
      else if (field === 5) {
        budget.spend('list')
        const items: unknown[] = []
        nested<unknown[]>(
          reader,
          (at, list) => {
            if (at === 1) list.push(readValue(reader, budget, depth + 1))
          },
          items,
        )
        result.value = items
      } else if (field === 6) {
        budget.spend('list')
        const members = new Map<string, unknown>()
        nested<Map<string, unknown>>(
          reader,
          (at, map) => {
            if (at === 1) readAttribute(reader, budget, map, depth + 1)
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

const readAttribute = (
  reader: PbfReader,
  budget: Budget,
  into: Map<string, unknown>,
  depth = 0,
): void => {
  budget.spend('attribute')
  const found: { key: string; value: unknown } = { key: '', value: null }
  nested<typeof found>(
    reader,
    (field, result) => {
      if (field === 1) result.key = text(reader)
      else if (field === 2) result.value = readValue(reader, budget, depth)
    },
    found,
  )
  into.set(found.key, found.value)
}

const readSpan = (reader: PbfReader, budget: Budget, span: Draft): Draft =>
  nested<Draft>(
    reader,
    (field, result) => {
      if (field === 1) result.traceId = hex(reader)
      else if (field === 2) result.spanId = hex(reader)
      else if (field === 4) result.parentSpanId = hex(reader)
      else if (field === 5) result.name = text(reader)
      else if (field === 7) result.start = fixed64(reader)
      else if (field === 8) result.end = fixed64(reader)
      else if (field === 9) readAttribute(reader, budget, result.attributes)
      else if (field === 11) {
        budget.spend('event')
        const event = { name: '', attributes: new Map<string, unknown>() }
        nested<typeof event>(
          reader,
          (at, one) => {
            if (at === 2) one.name = text(reader)
            else if (at === 3) readAttribute(reader, budget, one.attributes)
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

/** Goes through the fields of the nested message that the reader stands at, one after another; none where there is none. */
function* fieldsOfNested(reader: PbfReader): Generator<number> {
  if (reader.type === BYTES) yield* fieldsUpTo(reader, endOf(reader))
}

function* fieldsUpTo(reader: PbfReader, end: number): Generator<number> {
  while (reader.pos < end) {
    const key = reader.readVarint()
    const start = reader.pos
    reader.type = key & 7
    if (key >> 3 === 0) throw new Error('a field has the number 0')
    yield key >> 3
    if (reader.pos === start) reader.skip(key)
  }
  if (reader.pos !== end) throw new Error('a field ends beyond its message')
}

/** The spans of an `ExportTraceServiceRequest`. Rejects with `BAD_REQUEST` for what is none. */
export const readProtobuf = async (
  bytes: Uint8Array,
  budget: Budget,
  turn: Turn,
): Promise<Span[]> => {
  const spans: Draft[] = []
  const reader = new PbfReader(bytes)
  let isTrace = false
  try {
    for (const field of fieldsUpTo(reader, bytes.length)) {
      if (field !== 1) continue
      if (reader.type !== BYTES) throw new Error('its resource spans are no messages')
      isTrace = true
      budget.spend('list')
      // Whatever its place in the message, a resource is that of all spans beside it, and a scope too.
      const resource = new Map<string, unknown>()
      for (const part of fieldsOfNested(reader))
        if (part === 1)
          for (const one of fieldsOfNested(reader)) {
            if (one === 1) readAttribute(reader, budget, resource)
          }
        else if (part === 2) await readScope(reader, budget, turn, resource, spans)
      if (budget.isTurn) await turn()
    }
    // Fields that are unknown are for later versions of OTLP; nothing but those is something else.
    if (!isTrace && bytes.length > 0) throw new Error('it has no resource spans')
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw new DomainError(
      'BAD_REQUEST',
      `body: expected an ExportTraceServiceRequest in protobuf: ${(error as Error).message.slice(0, 200)}`,
    )
  }
  return spans
}

const readScope = async (
  reader: PbfReader,
  budget: Budget,
  turn: Turn,
  resource: Map<string, unknown>,
  spans: Draft[],
): Promise<void> => {
  budget.spend('list')
  const first = spans.length
  let scope = ''
  for (const field of fieldsOfNested(reader))
    if (field === 1)
      for (const part of fieldsOfNested(reader)) {
        if (part === 1) scope = text(reader)
      }
    else if (field === 2) {
      budget.spend('span')
      spans.push(readSpan(reader, budget, emptySpan(resource)))
      if (budget.isTurn) await turn()
    }
  for (const span of spans.slice(first)) span.scope = scope
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
