import { invalidArgument } from '../errors.js'
import { LINK } from '../prompts/link.js'
import { toJson } from '../transport/http.js'
import { refuseUnwritable } from '../values/unwritable.js'

/** Replaces the symbol under which a message keeps its prompt: symbols cannot be sent. */
const LINK_KEY = 'stepwell:prompt'
/** Replaces a value that JSON would change, to null, a text or nothing: the API's own check rejects it by its name. */
const KIND_KEY = 'stepwell:kind'
/** The deepest place of messages: a step's generation in a list of steps. */
const MAX_DEPTH = 5

type Fields = Record<string | symbol, unknown>

const isPlain = (value: unknown): value is Fields =>
  typeof value === 'object' &&
  value !== null &&
  (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null)

/** Changes the objects that hold steps, generations and messages, wherever they are in the parameters of a call. */
const change = (value: unknown, one: (fields: Fields) => Fields, depth = 0): unknown => {
  if (depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((item) => change(item, one, depth + 1))
  if (isRecorded(value)) return change(value.serialize(), one, depth)
  if (!isPlain(value)) return value
  const changed = one({ ...value })
  for (const key of ['steps', 'generation', 'messages'])
    if (key in changed) changed[key] = change(changed[key], one, depth + 1)
  return changed
}

/** A payload that has the key itself is wrapped, so that it stays what it is. */
const writeKind = (value: unknown): unknown => {
  if (value instanceof Date) return { [KIND_KEY]: 'date', value: String(value.getTime()) }
  if (isPlain(value)) return KIND_KEY in value ? { [KIND_KEY]: 'object', value } : value
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)))
    return { [KIND_KEY]: typeof value, value: String(value) }
  return /function|symbol/.test(typeof value) ? { [KIND_KEY]: typeof value } : value
}

const readKind = (written: unknown): unknown => {
  if (!isPlain(written)) return written
  const { value } = written
  switch (written[KIND_KEY]) {
    case 'date':
      return new Date(Number(value))
    case 'number':
      return Number(value)
    case 'bigint':
      return BigInt(value as string)
    case 'symbol':
      return Symbol()
    case 'function':
      return () => undefined
    case 'object':
      return value
    default:
      return written
  }
}

/** Changes the members of an object of its own. */
const changeMembers = (fields: Fields, one: (value: unknown) => unknown): Fields => {
  for (const key of Object.keys(fields)) fields[key] = one(fields[key])
  return fields
}

/** Returns true for a step that is being recorded. */
const isRecorded = (value: unknown): value is { serialize: () => unknown } =>
  typeof value === 'object' &&
  value !== null &&
  'serialize' in value &&
  typeof value.serialize === 'function'

/**
 * A parameter in the form that is sent: the JSON that the service would get of it, and the content of a file unchanged.
 */
export interface Serialized {
  json: string | undefined
  content: unknown
}

/** Converts parameters to a form that the thread can receive. Throws with the name of one that cannot be sent. */
export const serialize = (parameters: readonly unknown[]): Serialized[] =>
  parameters.map((parameter) => {
    refuseUnwritable('', parameter)
    const { content, rest } = split(parameter)
    const linked = change(rest, (fields) => {
      const link = fields[LINK]
      changeMembers(fields, writeKind)
      return link === undefined ? fields : { ...fields, [LINK_KEY]: link }
    })
    return { json: toJson(writeKind(linked)), content }
  })

/** Restores the parameters, in the thread. */
export const deserialize = (parameters: readonly Serialized[]): unknown[] =>
  parameters.map(({ json, content }) => {
    const value = json === undefined ? undefined : readKind(JSON.parse(json))
    const linked = change(value, (fields) => {
      const { [LINK_KEY]: link, ...rest } = changeMembers(fields, readKind)
      return link === undefined ? fields : { ...rest, [LINK]: link }
    })
    return content === undefined ? linked : { ...(linked as object), content }
  })

/** Bytes to upload are sent unchanged; a text can be sent as JSON. */
const split = (parameter: unknown): { content: unknown; rest: unknown } => {
  if (!isPlain(parameter)) return { content: undefined, rest: parameter }
  const { content, ...rest } = parameter
  if (typeof content !== 'object' || content === null)
    return { content: undefined, rest: parameter }
  refuseStreams(content)
  return { content, rest: { ...rest, ...fileName(content, rest.name) } }
}

const refuseStreams = (content: object): void => {
  if (content instanceof Blob) return
  if (content instanceof ReadableStream || Symbol.asyncIterator in content)
    throw invalidArgument(
      'content: expected a Buffer, File, Blob, ArrayBuffer or string, or a path instead; a stream cannot be read while the call blocks',
    )
}

/** The thread gets a File's content without its name. */
const fileName = (content: object, given: unknown): { name?: string } => {
  if (given || !(content instanceof Blob)) return {}
  const { name } = content as { name?: unknown }
  return typeof name === 'string' && name !== '' ? { name } : {}
}
