import { formOf } from './forms.js'
import { readably } from './readably.js'
import { silenceRejection } from './silence-rejection.js'

/** Characters of a value, unless the application asks for others. */
export const MAX_VALUE_LENGTH = 1_000_000

/** Deeper nesting is cut: the service allows 500 levels, those of the step around the value included. */
const MAX_DEPTH = 200
/** Size of a list or an object beside its content, in characters, so that many small ones are limited too. */
const NODE = 8
/** Number of members that may each be as large as a single value. */
const MAX_MEMBERS = 50
/** Length of a list of items, in lengths of a single value. */
const LISTS = 3
/** Length of the mark in a text that is cut. */
const MARK = 48
/** The most bytes of JSON that a character takes. */
const MAX_BYTES = 6
/** Length of an error's message in a mark. */
const MAX_REASON = 200

/** The state of one copy. */
interface CopyState {
  /** The characters that may still be copied. */
  left: number
  /** The objects around the one that is being copied. */
  readonly above: object[]
  isBusy: boolean
}

/** Shared by nearly all copies: creating one for each value costs as much as copying a small value. */
const usual: CopyState = { left: 0, above: [], isBusy: false }

/** Approximate characters of JSON in the last copy. */
let lastSize = 0

/**
 * Copies a value as it is now, so that later changes do not matter, into data that JSON can hold. It never throws.
 * Values without a JSON form get a readable one, and where the value is longer than `most` characters, or than `bytes` as
 * JSON, a mark shows the cut. Texts are not copied: they are immutable. `sizeOfLast` returns the size of the copy.
 */
export const capture = (
  value: unknown,
  most: number,
  bytes = Number.POSITIVE_INFINITY,
): unknown => {
  let copy = captureLength(value, most)
  for (let left = most; lastSize * MAX_BYTES > bytes && left > 0; ) {
    const size = bytesOf(copy)
    if (size <= bytes) break
    left = Math.floor((Math.min(left, lastSize) * bytes * 0.95) / size)
    copy = captureLength(value, left)
  }
  return copy
}

const bytesOf = (copy: unknown): number =>
  new TextEncoder().encode(JSON.stringify(copy) ?? '').length

const captureLength = (value: unknown, most: number): unknown => {
  // Reading an application's objects may record steps.
  const state = usual.isBusy ? { left: most, above: [], isBusy: true } : usual
  state.isBusy = true
  state.left = most
  try {
    return copyOf(value, state)
  } catch {
    // The stack was full already.
    return '[unreadable]'
  } finally {
    state.above.length = 0
    state.isBusy = false
    lastSize = most - state.left
  }
}

/** Copies an object whose members the service knows by name: each of them may be as large as a single value. */
export const captureMembers = (
  value: unknown,
  most: number,
  bytesOf?: (member: string) => number,
): unknown => {
  let keys: string[]
  try {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw value
    keys = Object.keys(value)
  } catch {
    return capture(value, most)
  }
  const copy: Record<string, unknown> = {}
  let size = 0
  for (const key of keys.slice(0, MAX_MEMBERS)) {
    const item = capture(read(value, key), most, bytesOf?.(key))
    size += lastSize
    if (item !== undefined) put(copy, key, item)
  }
  lastSize = size
  return copy
}

/** Copies a list, each item of which may be as large as a single value, up to three times that length in total. */
export const captureItems = (value: unknown, most: number, bytes?: number): unknown => {
  if (!Array.isArray(value)) return capture(value, most)
  const items: unknown[] = []
  let size = 0
  for (let index = 0; index < value.length; index++) {
    const item = capture(read(value, String(index)), most, bytes)
    if (size + lastSize > LISTS * most) break
    size += lastSize
    items.push(item ?? null)
  }
  lastSize = size
  return items
}

/** Returns the approximate characters of JSON in the value that was captured last. */
export const sizeOfLast = (): number => lastSize

const copyOf = (value: unknown, state: CopyState): unknown => {
  switch (typeof value) {
    case 'string':
      return cut(value, state)
    case 'number':
      state.left -= NODE
      // JSON has neither -0 nor NaN and the infinities.
      return Number.isFinite(value) ? value || 0 : String(value)
    case 'boolean':
      state.left -= NODE
      return value
    case 'bigint':
    case 'symbol':
      return cut(String(value), state)
    case 'object':
      if (value !== null) return guarded(value, state)
      state.left -= NODE
      return null
    default:
      state.left -= NODE
      return undefined
  }
}

/** Reading an application's objects may throw. */
const guarded = (value: object, state: CopyState): unknown => {
  const { above } = state
  if (above.length >= MAX_DEPTH) return cut('[nested too deep]', state)
  if (above.includes(value)) return cut('[circular]', state)
  state.left -= NODE
  above.push(value)
  try {
    return inside(value, state)
  } catch (error) {
    return cut(unreadable(error), state)
  } finally {
    above.pop()
  }
}

const inside = (value: object, state: CopyState): unknown => {
  if (Array.isArray(value)) return listOf(value, value.length, state)
  const written = jsonOf(value)
  if (written === value) return shown(value, state)
  // As in JSON, the result of toJSON is not asked for its own.
  if (typeof written !== 'object' || written === null || Array.isArray(written))
    return copyOf(written, state)
  if (state.above.includes(written)) return cut('[circular]', state)
  state.above.push(written)
  try {
    return shown(written, state)
  } finally {
    state.above.pop()
  }
}

const shown = (value: object, state: CopyState): unknown => {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null)
    return objectOf(value, Object.keys(value), state)
  const form = formOf(value)
  switch (form.kind) {
    case 'text':
      return cut(form.text, state)
    case 'primitive':
      return copyOf(form.value, state)
    case 'list':
      return listOf(form.items, form.length, state)
    case 'pairs':
      return pairsOf(form.pairs, form.length, state)
    case 'members':
      return objectOf(value, form.keys, state)
  }
}

/** Returns the result of an object's `toJSON`; the object itself without one, or when it fails. */
const jsonOf = (value: object): unknown => {
  try {
    const { toJSON } = value as { toJSON?: unknown }
    // Bytes are summarized, not listed.
    if (typeof toJSON !== 'function' || ArrayBuffer.isView(value)) return value
    const written = toJSON.call(value, '')
    if (written instanceof Promise) silenceRejection(written)
    // An invalid date writes null, which would hide what it is.
    return written ?? (value instanceof Date ? String(value) : null)
  } catch {
    return value
  }
}

const listOf = (items: Iterable<unknown>, length: number, state: CopyState): unknown[] => {
  const copy: unknown[] = []
  for (const item of items) {
    if (state.left <= 0) {
      copy.push(`[cut: ${length - copy.length} more of ${length} items]`)
      break
    }
    // As in JSON, a list keeps a place for a value that JSON cannot hold.
    copy.push(copyOf(item, state) ?? null)
  }
  return copy
}

/** Returns an object when the keys are different texts, else a list of pairs. */
const pairsOf = (
  pairs: Iterable<readonly [unknown, unknown]>,
  length: number,
  state: CopyState,
): unknown => {
  const list: unknown[] = []
  const names = new Set<unknown>()
  for (const [key, value] of pairs) {
    if (state.left <= 0) {
      list.push(['[cut]', `${length - list.length} more of ${length} members`])
      break
    }
    const name = copyOf(key, state)
    names.add(typeof key === 'object' || typeof key === 'function' ? undefined : String(name))
    list.push([name ?? null, copyOf(value, state) ?? null])
  }
  if (names.has(undefined) || names.size < Math.min(list.length, length)) return list
  const copy: Record<string, unknown> = {}
  for (const [name, value] of list as [unknown, unknown][]) put(copy, String(name), value)
  return copy
}

const objectOf = (
  value: object,
  keys: readonly string[],
  state: CopyState,
): Record<string, unknown> => {
  const copy: Record<string, unknown> = {}
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string
    if (state.left <= 0) {
      copy['[cut]'] = `${keys.length - index} more of ${keys.length} members`
      break
    }
    const name = cut(key, state)
    const item = copyOf(read(value, key), state)
    if (item !== undefined) put(copy, name, item)
  }
  return copy
}

const put = (copy: Record<string, unknown>, name: string, value: unknown): void => {
  // Assigning it would change the prototype of the copy.
  if (name === '__proto__') Object.defineProperty(copy, name, { value, enumerable: true })
  else copy[name] = value
}

/** Merges the members of objects, of which later ones win; those that can't be read get a mark. It never throws. */
export const merged = (...objects: unknown[]): Record<string, unknown> => {
  const all: Record<string, unknown> = {}
  for (const object of objects)
    try {
      for (const key of Object.keys(object ?? {})) put(all, key, read(object as object, key))
    } catch {
      // It has no members that can be listed.
    }
  return all
}

/** Reads a member of an object; returns a mark when that throws. */
const read = (value: object, key: string): unknown => {
  try {
    const member = (value as Record<string, unknown>)[key]
    // One that reading has made is known to nobody else.
    if (member instanceof Promise && Object.getOwnPropertyDescriptor(value, key)?.value !== member)
      silenceRejection(member)
    return member
  } catch (error) {
    return unreadable(error)
  }
}

const cut = (text: string, state: CopyState): string => {
  const left = Math.max(0, state.left)
  state.left -= Math.min(text.length, left) + NODE
  if (text.length <= left) return text
  const most = Math.max(left >> 1, left - MARK)
  // Not between the halves of a surrogate pair, which would leave an invalid character.
  const end = isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most
  return `${text.slice(0, end)}… [cut: ${end} of ${text.length} characters kept]`
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

const unreadable = (error: unknown): string => `[unreadable: ${reasonOf(error)}]`

/** Describes an error in short. */
export const reasonOf = (error: unknown): string =>
  readably(() => String(error instanceof Error ? error.message : error)).slice(0, MAX_REASON)
