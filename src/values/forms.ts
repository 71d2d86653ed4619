import { isError } from './is-error.js'

/** The form in which an object other than plain data is shown. */
export type Form =
  | { kind: 'text'; text: string }
  | { kind: 'primitive'; value: unknown }
  | { kind: 'list'; items: Iterable<unknown>; length: number }
  | { kind: 'pairs'; pairs: Iterable<readonly [unknown, unknown]>; length: number }
  | { kind: 'members'; keys: readonly string[] }

/** Content of objects that is not enumerable: of errors, requests, responses and files. */
const UNLISTED = ['name', 'message', 'cause', 'errors', 'error', 'suppressed']
const OF_REQUEST = ['method', 'url', 'headers']
const OF_RESPONSE = ['status', 'statusText', 'url', 'headers']

/** Headers with credentials. */
const SECRET = /^(proxy-)?authorization$|^(set-)?cookie$|^(x-)?api-key$/i

const MAX_NAME = 100

/** Returns the form of an instance of some class. May throw, as reading objects may. */
export const formOf = (value: object): Form => {
  if (isError(value))
    return members([...new Set([...UNLISTED.filter((key) => key in value), ...Object.keys(value)])])
  if (value instanceof Map) return { kind: 'pairs', pairs: value, length: value.size }
  if (value instanceof Set) return { kind: 'list', items: value, length: value.size }
  if (value instanceof RegExp) return text(String(value))
  if (value instanceof Number || value instanceof String || value instanceof Boolean)
    return { kind: 'primitive', value: value.valueOf() }
  const name = nameOf(value)
  if (ArrayBuffer.isView(value)) {
    // Vectors are shown as numbers, bytes are not.
    const { length } = value as { length?: unknown }
    return typeof length !== 'number' || value instanceof Uint8Array || name.startsWith('Uint8')
      ? text(`[${name} of ${value.byteLength} bytes]`)
      : { kind: 'list', items: value as unknown as Iterable<number>, length }
  }
  const ofPlatform = platformForm(value, name)
  if (ofPlatform !== undefined) return ofPlatform
  const fields = isLive(value) ? [] : ownFields(value)
  // An object without visible members is at least named.
  return fields.length === 0 ? text(`[${name}]`) : members(fields)
}

/**
 * Returns the form of the web platform's objects, which have no enumerable members. Some runtimes lack some of them.
 */
const platformForm = (value: object, name: string): Form | undefined => {
  switch (tagOf(value)) {
    case 'ArrayBuffer':
    case 'SharedArrayBuffer':
      return text(`[${name} of ${(value as ArrayBuffer).byteLength} bytes]`)
    case 'Blob':
    case 'File': {
      const { name: file, size, type } = value as File
      const parts = [name, file, `of ${size} bytes`, type && `as ${type}`]
      return text(`[${parts.filter(Boolean).join(' ')}]`)
    }
    case 'Headers':
      return pairs(
        [...(value as Headers)].map(([key, of]) => [key, SECRET.test(key) ? '[withheld]' : of]),
      )
    case 'URLSearchParams':
    case 'FormData':
      return pairs([...(value as FormData)])
    case 'Request':
      return members(OF_REQUEST)
    case 'Response':
      return members(OF_RESPONSE)
    default:
      return undefined
  }
}

/**
 * Returns true for promises, streams and pending results: their content is not there yet, and their members are
 * internals.
 */
const isLive = (value: object): boolean =>
  'then' in value ||
  'pipe' in value ||
  Symbol.asyncIterator in value ||
  Object.values(Object.getOwnPropertyDescriptors(value)).some(
    ({ value: held }) => held instanceof Promise || isStream(held),
  )

const isStream = (value: unknown): boolean =>
  typeof ReadableStream === 'function' && value instanceof ReadableStream

/** Returns the members that an instance shows, without those that are private by name. */
const ownFields = (value: object): string[] =>
  Object.keys(value).filter((key) => !key.startsWith('_'))

const text = (text: string): Form => ({ kind: 'text', text })
const members = (keys: readonly string[]): Form => ({ kind: 'members', keys })
const pairs = (list: readonly (readonly [unknown, unknown])[]): Form => ({
  kind: 'pairs',
  pairs: list,
  length: list.length,
})

const tagOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1)

const nameOf = (value: object): string => {
  const name: unknown = value.constructor?.name
  return typeof name === 'string' && name !== '' ? name.slice(0, MAX_NAME) : tagOf(value)
}
