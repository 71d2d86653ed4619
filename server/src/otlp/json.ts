// OTLP/JSON: protobuf's mapping to JSON, with ids in hexadecimal digits.
import { isObject } from '../domain/values.js'
import { DomainError, show } from '../kernel/errors.js'
import type { Turn } from '../kernel/turns.js'
import type { Budget } from './budget.js'
import {
  type Attributes,
  EXPORT_REQUEST,
  type ExportRequest,
  type Field,
  type Message,
} from './schema.js'

const badRequest = (message: string) => new DomainError('BAD_REQUEST', message)

type Encoded = Record<string, unknown>
const NOTHING: Encoded = {}
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

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

/** Reads a 64-bit number, which comes as a text, or from some exporters as a number. */
const integer = (value: unknown): bigint => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  return typeof value === 'string' && /^\d{1,19}$/.test(value) ? BigInt(value) : 0n
}

/** Reads an `AnyValue`. */
const readValue = (value: unknown, budget: Budget): unknown => {
  budget.spend('item')
  if (!isObject(value)) return null
  if ('stringValue' in value) return text(value.stringValue)
  if ('boolValue' in value) return value.boolValue === true
  if ('intValue' in value) return Number(value.intValue)
  if ('doubleValue' in value) return Number(value.doubleValue)
  if ('bytesValue' in value) return text(value.bytesValue)
  if ('arrayValue' in value) {
    budget.spend('list')
    return objects(isObject(value.arrayValue) ? value.arrayValue.values : []).map((item) =>
      readValue(item, budget),
    )
  }
  if ('kvlistValue' in value)
    return Object.fromEntries(
      readAttributes(isObject(value.kvlistValue) ? value.kvlistValue.values : [], budget),
    )
  return null
}

/** Reads a list of `KeyValue`. */
const readAttributes = (value: unknown, budget: Budget): Attributes =>
  new Map(
    objects(value).map((entry) => {
      budget.spend('attribute')
      return [text(entry.key), readValue(entry.value, budget)]
    }),
  )

/** Keeps numbers as they are: later versions have more of them. */
const readEnum = (value: unknown, names: readonly string[]): number =>
  typeof value === 'number' ? value : Math.max(0, names.indexOf(text(value)))

/** Reads a field without long messages. */
const readField = (value: unknown, field: Field, budget: Budget): unknown => {
  if ('items' in field) return objects(value).map((item) => readMessage(item, field.items, budget))
  if ('message' in field)
    return isObject(value) ? readMessage(value, field.message, budget) : undefined
  if ('names' in field) return readEnum(value, field.names)
  if (field.kind === 'attributes') return readAttributes(value, budget)
  if (field.kind === 'nanoseconds') return integer(value)
  return field.kind === 'id' ? text(value).toLowerCase() : text(value)
}

const readMessage = (encoded: Encoded, message: Message, budget: Budget): Encoded => {
  budget.spend(message.part)
  const read: Encoded = {}
  for (const name in message.fields)
    read[name] = readField(encoded[name], message.fields[name] as Field, budget)
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
      read[name] = readField(encoded[name], field, budget)
      continue
    }
    const { items } = field
    const list: Encoded[] = []
    const below = [...path, name]
    for (const item of messages(encoded[name], below.join('.'))) {
      list.push(
        items.isLong
          ? await readLong(item, items, below, budget, turn)
          : readMessage(item, items, budget),
      )
      if (budget.isTurn) await turn()
    }
    read[name] = list
  }
  return read
}

/**
 * Returns an `ExportTraceServiceRequest`. Missing fields are empty; the caller checks those that it needs.
 *
 * @throws DomainError with `BAD_REQUEST` for any other object.
 */
export const readJson = async (
  body: Encoded,
  budget: Budget,
  turn: Turn,
): Promise<ExportRequest> => {
  // Unknown fields are from later versions of OTLP; an object with nothing but those is something else.
  if (!('resourceSpans' in body) && Object.keys(body).length > 0)
    throw badRequest(
      `resourceSpans: expected a list, as in an ExportTraceServiceRequest; got ${show(Object.keys(body).slice(0, 5))}`,
    )
  return (await readLong(body, EXPORT_REQUEST, [], budget, turn)) as unknown as ExportRequest
}
