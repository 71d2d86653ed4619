// OTLP/JSON: protobuf's mapping to JSON, with ids in hexadecimal digits.
import { isObject } from '../../domain/values.js'
import { DomainError, show } from '../../kernel/errors.js'
import type { Turn } from '../../kernel/sharing/turns.js'
import type { Budget } from './budget.js'
import { AttributeMap, type Decoded, type Field, type Message, type Signal } from './schema.js'
import { fromBytes, fromDouble, fromInteger, fromMembers } from './values.js'

const badRequest = (message: string) => new DomainError('BAD_REQUEST', message)

type Encoded = Record<string, unknown>
const NOTHING: Encoded = {}
/** Reads a text; a number or boolean in its place as it is written. */
const text = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : ''

/** Returns the objects of a list, which may be missing; skips all other elements. */
const objects = (value: unknown): Encoded[] => (Array.isArray(value) ? value.filter(isObject) : [])

/**
 * Returns the messages of a long list, which may be missing. A list of nothing but other elements is not OTLP; beside
 * messages, any other element is read as an empty one, so that valid ones are kept and each invalid one is counted as
 * rejected.
 */
const messages = (value: unknown, path: string): Encoded[] => {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && (value.length === 0 || value.some(isObject)))
    return value.map((element) => (isObject(element) ? element : NOTHING))
  throw badRequest(`${path}: expected a list of objects, as OTLP/JSON has it`)
}

const MAX_64_BITS = 2n ** 64n - 1n
const MAX_32_BITS = 2 ** 32 - 1

/**
 * Reads a 64-bit number, which comes as a text, or from some exporters as a number: then JSON has kept the first digits,
 * so that a time is right to less than a microsecond.
 */
const integer = (value: unknown): bigint => {
  if (typeof value === 'number' && value >= 0 && value < 2 ** 64) return BigInt(Math.trunc(value))
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) return 0n
  const read = BigInt(value)
  return read > MAX_64_BITS ? 0n : read
}

/** Reads a number of 32 bits without a sign. */
const count = (value: unknown): number => {
  const read = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
  return typeof read === 'number' && Number.isInteger(read) && read >= 0 && read <= MAX_32_BITS
    ? read
    : 0
}

/** Reads the integer of an attribute. Keeps a text that is none. */
const readInteger = (value: unknown): unknown => {
  if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return fromInteger(BigInt(value))
  return readNumber(value)
}

const readNumber = (value: unknown): unknown => {
  if (typeof value === 'number') return fromDouble(value)
  if (typeof value !== 'string') return asItCame(value)
  const isNumber = /^\s*[+-]?(?:\d|\.\d|Infinity\s*$)/.test(value) || value === 'NaN'
  const read = Number(value)
  return isNumber && (value === 'NaN' || !Number.isNaN(read)) ? fromDouble(read) : value
}

/** Reads a boolean. Keeps any other value. */
const readBoolean = (value: unknown): unknown =>
  value === 'true' || value === 'false' ? value === 'true' : asItCame(value)

/** Returns a value that is not of its declared type: a simple one as it is, any other as JSON, so that nothing is lost. */
const asItCame = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? null)

/** Reads an `AnyValue`. */
const readValue = (value: unknown, budget: Budget): unknown => {
  budget.spend('item')
  if (!isObject(value)) return null
  if ('stringValue' in value) return asItCame(value.stringValue)
  if ('boolValue' in value) return readBoolean(value.boolValue)
  if ('intValue' in value) return readInteger(value.intValue)
  if ('doubleValue' in value) return readNumber(value.doubleValue)
  if ('bytesValue' in value) return fromBytes(text(asItCame(value.bytesValue)))
  if ('arrayValue' in value) {
    budget.spend('list')
    const items = isObject(value.arrayValue) ? value.arrayValue.values : []
    return Array.isArray(items) ? items.map((item) => readValue(item, budget)) : []
  }
  if ('kvlistValue' in value)
    return fromMembers(
      readAttributes(isObject(value.kvlistValue) ? value.kvlistValue.values : [], budget),
    )
  return null
}

/** Reads a list of `KeyValue`. */
const readAttributes = (value: unknown, budget: Budget): AttributeMap => {
  const attributes = new AttributeMap()
  for (const entry of objects(value)) readAttribute(entry, budget, attributes)
  return attributes
}

const readAttribute = ({ key, value }: Encoded, budget: Budget, into: AttributeMap): void => {
  budget.spend('attribute')
  into.add(text(key), readValue(value, budget))
}

/** Reads the attributes of a span or event, as far as there is place for them. */
const readAdmitted = (value: unknown, budget: Budget): AttributeMap => {
  const attributes = new AttributeMap()
  for (const entry of objects(value)) budget.admits(() => readAttribute(entry, budget, attributes))
  return attributes
}

/** Keeps numbers as they are: later versions have more of them. */
const readEnum = (value: unknown, names: readonly string[]): number =>
  typeof value === 'number' ? value : Math.max(0, names.indexOf(text(value)))

/** Reads a field without long messages. */
const readField = (value: unknown, field: Field, budget: Budget): unknown => {
  if ('items' in field) {
    const read: Encoded[] = []
    for (const item of objects(value))
      budget.admits(() => read.push(readMessage(item, field.items, budget)))
    return read
  }
  if ('message' in field)
    return isObject(value) ? readMessage(value, field.message, budget) : undefined
  if ('names' in field) return readEnum(value, field.names)
  if (field.kind === 'attributes') return readAdmitted(value, budget)
  if (field.kind === 'value') {
    let read: unknown = null
    budget.admits(() => {
      read = readValue(value, budget)
    })
    return read
  }
  if (field.kind === 'nanoseconds') return integer(value)
  if (field.kind === 'count' || field.kind === 'fixed32') return count(value)
  return field.kind === 'id' ? text(value).toLowerCase() : text(value)
}

const readMessage = (encoded: Encoded, message: Message, budget: Budget): Encoded => {
  budget.spend(message.part)
  const read: Encoded = {}
  for (const name in message.fields)
    read[name] = readField(encoded[name], message.fields[name] as Field, budget)
  return read
}

/** Notes how much was left out of a span, resource or scope. */
const noting = <Value>(budget: Budget, read: Value): Value => {
  if (budget.withheld > 0 && isObject(read)) Object.assign(read, { withheld: budget.withheld })
  return read
}

/** Reads a message with long lists, and gives others their turn. */
const readLong = async (
  encoded: Encoded,
  message: Message,
  path: readonly string[],
  budget: Budget,
  turn: Turn,
): Promise<Encoded> => {
  budget.spend(message.part)
  const read: Encoded = {}
  for (const name in message.fields) {
    const field = message.fields[name] as Field
    if (!('items' in field)) {
      budget.begin()
      read[name] = noting(budget, readField(encoded[name], field, budget))
      continue
    }
    const { items } = field
    const list: Encoded[] = []
    const below = [...path, name]
    for (const item of messages(encoded[name], below.join('.'))) {
      budget.begin()
      list.push(
        items.isLong
          ? await readLong(item, items, below, budget, turn)
          : noting(budget, readMessage(item, items, budget)),
      )
      if (budget.isTurn) await turn()
    }
    read[name] = list
  }
  return read
}

/**
 * Returns the request of an exporter. Missing fields are empty; the caller checks those that it needs.
 *
 * @throws DomainError with `BAD_REQUEST` for any other object.
 */
export const readJson = async <Of extends Message>(
  body: Encoded,
  budget: Budget,
  turn: Turn,
  { message, name, list }: Signal<Of>,
): Promise<Decoded<Of>> => {
  // Unknown fields are from later versions of OTLP; an object with nothing but those is something else.
  if (!(list in body) && Object.keys(body).length > 0)
    throw badRequest(
      `${list}: expected a list, as in an ${name}; got ${show(Object.keys(body).slice(0, 5))}`,
    )
  return (await readLong(body, message, [], budget, turn)) as Decoded<Of>
}
