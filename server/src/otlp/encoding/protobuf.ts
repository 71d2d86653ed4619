// The binary encoding of OTLP/HTTP.
import { PbfReader, PbfWriter } from 'pbf'
import { DomainError } from '../../kernel/errors.js'
import type { Turn } from '../../kernel/sharing/turns.js'
import type { Budget } from './budget.js'
import {
  AttributeMap,
  type Decoded,
  emptyMessage,
  type Field,
  type Message,
  type Signal,
} from './schema.js'
import { fromBytes, fromDouble, fromInteger, fromMembers } from './values.js'

const BYTES = 2
const FIXED_32 = 5
/** Limit of nested values: the same as for payloads, and more than any tracer sends. */
const MAX_DEPTH = 100

/** Returns the end of the message at the reader's position, which must be within the body. */
const endOf = (reader: PbfReader): number => {
  const end = reader.readVarint() + reader.pos
  if (end > reader.length) throw new Error('it is cut off')
  return end
}

/** Reads the number of the next field, and its type into the reader. */
const nextField = (reader: PbfReader): number => {
  const key = reader.readVarint()
  reader.type = key & 7
  if (key >> 3 === 0) throw new Error('a field has the number 0')
  return key >> 3
}

/**
 * Calls back for each field of the nested message at the reader's position, up to its end. Skips fields that are not
 * read.
 */
const eachField = (reader: PbfReader, read: (field: number) => void): void => {
  if (reader.type !== BYTES) return
  const end = endOf(reader)
  while (reader.pos < end) {
    const field = nextField(reader)
    const start = reader.pos
    read(field)
    if (reader.pos === start) reader.skip(reader.type)
  }
  checkEnd(reader, end)
}

const checkEnd = (reader: PbfReader, end: number): void => {
  if (reader.pos !== end) throw new Error('a field ends beyond its message')
}

/** Decodes from the bytes: the reader's own texts lose characters beyond the first plane. */
const text = (reader: PbfReader): string =>
  reader.type === BYTES ? Buffer.from(reader.readBytes()).toString() : ''
const hex = (reader: PbfReader): string =>
  reader.type === BYTES ? Buffer.from(reader.readBytes()).toString('hex') : ''

/** A double could not hold it to the microsecond. */
const fixed64 = (reader: PbfReader): bigint => {
  const low = BigInt(reader.readFixed32())
  return (BigInt(reader.readFixed32()) << 32n) | low
}

/** Reads an integer of 64 bits, whose last digits the reader's own number loses. */
const int64 = (reader: PbfReader): unknown => {
  const start = reader.pos
  const double = reader.readVarint(true)
  if (Number.isSafeInteger(double)) return double
  let value = 0n
  for (let at = start; at < reader.pos; at++)
    value |= BigInt((reader.buf[at] as number) & 0x7f) << BigInt((at - start) * 7)
  return fromInteger(BigInt.asIntN(64, value))
}

/** Reads an `AnyValue`. */
const readValue = (reader: PbfReader, budget: Budget, depth: number): unknown => {
  budget.spend('item')
  if (depth > MAX_DEPTH)
    throw new DomainError('BAD_REQUEST', `body: values nest more than ${MAX_DEPTH} deep`)
  let value: unknown = null
  eachField(reader, (field) => {
    if (field === 1) value = text(reader)
    else if (field === 2) value = reader.readBoolean()
    else if (field === 3) value = int64(reader)
    else if (field === 4) value = fromDouble(reader.readDouble())
    else if (field === 5) value = readList(reader, budget, depth + 1)
    else if (field === 6) value = fromMembers(readMembers(reader, budget, depth + 1))
    else if (field === 7 && reader.type === BYTES)
      value = fromBytes(Buffer.from(reader.readBytes()).toString('base64'))
  })
  return value
}

const readList = (reader: PbfReader, budget: Budget, depth: number): unknown[] => {
  budget.spend('list')
  const items: unknown[] = []
  eachField(reader, (field) => {
    if (field === 1) items.push(readValue(reader, budget, depth))
  })
  return items
}

const readMembers = (reader: PbfReader, budget: Budget, depth: number): AttributeMap => {
  budget.spend('list')
  const members = new AttributeMap()
  eachField(reader, (field) => {
    if (field === 1) readAttribute(reader, budget, members, depth)
  })
  return members
}

/** Reads a `KeyValue`. */
const readAttribute = (reader: PbfReader, budget: Budget, into: AttributeMap, depth = 0): void => {
  budget.spend('attribute')
  let key = ''
  let value: unknown = null
  eachField(reader, (field) => {
    if (field === 1) key = text(reader)
    else if (field === 2) value = readValue(reader, budget, depth)
  })
  into.add(key, value)
}

type Numbered = ReadonlyMap<number, readonly [name: string, field: Field]>
const byNumber = new WeakMap<Message, Numbered>()

const numbered = (message: Message): Numbered => {
  let fields = byNumber.get(message)
  if (fields === undefined) {
    fields = new Map(Object.entries(message.fields).map((entry) => [entry[1].number, entry]))
    byNumber.set(message, fields)
  }
  return fields
}

/** Reads a field without long messages into its message. The last one of a repeated field wins. */
const readField = (
  reader: PbfReader,
  budget: Budget,
  field: Field,
  name: string,
  into: Record<string, unknown>,
): void => {
  if ('items' in field) {
    if (reader.type === BYTES)
      readAdmitted(reader, budget, () =>
        (into[name] as unknown[]).push(readMessage(reader, budget, field.items)),
      )
  } else if ('message' in field) {
    if (reader.type === BYTES)
      into[name] = readMessage(reader, budget, field.message, into[name] as undefined)
  } else if ('names' in field) into[name] = reader.readVarint()
  else if (field.kind === 'text') into[name] = text(reader)
  else if (field.kind === 'id') into[name] = hex(reader)
  else if (field.kind === 'nanoseconds') into[name] = fixed64(reader)
  else if (field.kind === 'count') into[name] = reader.readVarint() >>> 0
  else if (field.kind === 'fixed32') {
    if (reader.type === FIXED_32) into[name] = reader.readFixed32()
  } else if (field.kind === 'value')
    readAdmitted(reader, budget, () => {
      into[name] = readValue(reader, budget, 0)
    })
  else readAdmitted(reader, budget, () => readAttribute(reader, budget, into[name] as AttributeMap))
}

/** Reads a part of a span, or leaves it to be skipped when there is no place for it. */
const readAdmitted = (reader: PbfReader, budget: Budget, read: () => void): void => {
  const start = reader.pos
  if (!budget.admits(read)) reader.pos = start
}

const readMessage = (
  reader: PbfReader,
  budget: Budget,
  message: Message,
  into?: Record<string, unknown>,
): Record<string, unknown> => {
  budget.spend(message.part)
  const read = into ?? emptyMessage(message)
  const fields = numbered(message)
  eachField(reader, (number) => {
    const found = fields.get(number)
    if (found !== undefined) readField(reader, budget, found[1], found[0], read)
  })
  return read
}

/** Notes how much was left out of a resource or scope, or of the last span of a list. */
const note = (read: unknown, withheld: number): void => {
  Object.assign((Array.isArray(read) ? read.at(-1) : read) as object, { withheld })
}

/** Reads a message with long lists, and gives others their turn. */
const readLong = async (
  reader: PbfReader,
  end: number,
  budget: Budget,
  turn: Turn,
  message: Message,
): Promise<Record<string, unknown>> => {
  // A long message is in no span: it counts for the request alone.
  budget.begin()
  budget.spend(message.part)
  const read = emptyMessage(message)
  const fields = numbered(message)
  while (reader.pos < end) {
    const found = fields.get(nextField(reader))
    const start = reader.pos
    if (found !== undefined) {
      const [name, field] = found
      if (!('items' in field && field.items.isLong)) {
        budget.begin()
        readField(reader, budget, field, name, read)
        if (budget.withheld > 0) note(read[name], budget.withheld)
      } else if (reader.type === BYTES)
        (read[name] as unknown[]).push(
          await readLong(reader, endOf(reader), budget, turn, field.items),
        )
    }
    if (reader.pos === start) reader.skip(reader.type)
    if (budget.isTurn) await turn()
  }
  checkEnd(reader, end)
  return read
}

/** Returns the request of an exporter. Rejects with `BAD_REQUEST` for anything else. */
export const readProtobuf = async <Of extends Message>(
  bytes: Uint8Array,
  budget: Budget,
  turn: Turn,
  { message, name, list }: Signal<Of>,
): Promise<Decoded<Of>> => {
  const reader = new PbfReader(bytes)
  try {
    const read = await readLong(reader, bytes.length, budget, turn, message)
    // Unknown fields are from later versions of OTLP; a message with nothing but those is something else.
    if ((read[list] as unknown[]).length === 0 && bytes.length > 0)
      throw new Error(`it has no ${list.replace('resource', 'resource ').toLowerCase()}`)
    return read as Decoded<Of>
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw new DomainError(
      'BAD_REQUEST',
      `body: expected an ${name} in protobuf: ${(error as Error).message.slice(0, 200)}`,
    )
  }
}

/** Returns the answer to a request of either signal: their messages have the same numbers. */
export const writeProtobuf = (rejected: number, message: string): Uint8Array => {
  const writer = new PbfWriter()
  if (rejected > 0 || message !== '')
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
