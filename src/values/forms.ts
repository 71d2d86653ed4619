/** How an object that is no plain data is shown. */
export type Form =
  | { kind: 'text'; text: string }
  | { kind: 'primitive'; value: unknown }
  | { kind: 'list'; items: Iterable<unknown>; length: number }
  | { kind: 'pairs'; pairs: Iterable<readonly [unknown, unknown]>; length: number }
  | { kind: 'members'; keys: readonly string[] }

/** What objects hold that is no member that is listed: errors, requests, responses and files. */
const UNLISTED = ['name', 'message', 'cause', 'errors', 'error', 'suppressed']
const OF_REQUEST = ['method', 'url', 'headers']
const OF_RESPONSE = ['status', 'statusText', 'url', 'headers']

/** Headers that let whoever has them in. */
const SECRET = /^(proxy-)?authorization$|^(set-)?cookie$|^(x-)?api-key$/i

const MAX_NAME = 100

/** The form of an instance of some class. May throw, as objects may when they are looked at. */
export const formOf = (value: object): Form => {
  if (value instanceof Error)
    return members([...new Set([...UNLISTED.filter((key) => key in value), ...Object.keys(value)])])
  if (value instanceof Map) return { kind: 'pairs', pairs: value, length: value.size }
  if (value instanceof Set) return { kind: 'list', items: value, length: value.size }
  if (value instanceof RegExp) return text(String(value))
  if (value instanceof Number || value instanceof String || value instanceof Boolean)
    return { kind: 'primitive', value: value.valueOf() }
  const name = nameOf(value)
  if (ArrayBuffer.isView(value)) {
    // Vectors are numbers to look at, bytes are not.
    const { length } = value as { length?: unknown }
    return typeof length !== 'number' || value instanceof Uint8Array || name.startsWith('Uint8')
      ? text(`[${name} of ${value.byteLength} bytes]`)
      : { kind: 'list', items: value as unknown as Iterable<number>, length }
  }
  const ofPlatform = platformForm(value, name)
  if (ofPlatform !== undefined) return ofPlatform
  const fields = isLive(value) ? [] : ownFields(value)
  // What shows nothing is at least named.
  return fields.length === 0 ? text(`[${name}]`) : members(fields)
}

/** Objects of the web's platform, which keep what they hold out of their members. Some runtimes lack some of them. */
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

/** Promises, streams and results that still come: their content is not there yet, and their members are none. */
const isLive = (value: object): boolean =>
  'then' in value ||
  'pipe' in value ||
  Symbol.asyncIterator in value ||
  Object.values(Object.getOwnPropertyDescriptors(value)).some(
    ({ value: held }) => held instanceof Promise || isStream(held),
  )

const isStream = (value: unknown): boolean =>
  typeof ReadableStream === 'function' && value instanceof ReadableStream

/** The members that an instance shows: those that are private by name are not meant to be seen. */
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
