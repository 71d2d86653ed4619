import { formOf } from './forms.js'

/** Nesting that no reader follows; the service ends at 500 levels, those of the step around the value included. */
const MAX_DEPTH = 200
/** What a list or an object takes beside its content, in characters, so that many small ones have an end too. */
const NODE = 8
/** The most members that have as much room as a value of its own. */
const MAX_MEMBERS = 50
/** The most characters of an error's message in a mark. */
const MAX_REASON = 200

/** One walk through a value. */
interface Walk {
  /** How much is left to keep, in characters. */
  left: number
  /** The objects around the one that is being copied. */
  readonly above: object[]
  isBusy: boolean
}

/** What is copied most is copied here: making one for each value costs as much as copying a small one. */
const usual: Walk = { left: 0, above: [], isBusy: false }

/** About how many characters of JSON the last copy has. */
let lastSize = 0

/**
 * Copies a value as it is now, so that nobody has to care what happens to it later, into data that JSON can hold. It
 * never throws. What JSON has no form for gets a readable one, and where the value is longer than `most` characters, a
 * mark says where it was cut. Texts are not copied: they can't change. `sizeOfLast` tells how large the copy is.
 */
export const capture = (value: unknown, most: number): unknown => {
  // Objects of the application may record steps of their own while they are looked at.
  const walk = usual.isBusy ? { left: most, above: [], isBusy: true } : usual
  walk.isBusy = true
  walk.left = most
  try {
    return copyOf(value, walk)
  } catch {
    // The stack was full already.
    return '[unreadable]'
  } finally {
    walk.above.length = 0
    walk.isBusy = false
    lastSize = most - walk.left
  }
}

/** The same for an object whose members the service knows by name: each of them has as much room as a value of its own. */
export const captureMembers = (value: unknown, most: number): unknown => {
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
    const item = capture(read(value, key), most)
    size += lastSize
    if (item !== undefined) put(copy, key, item)
  }
  lastSize = size
  return copy
}

/** About how many characters of JSON the value has that was captured last. */
export const sizeOfLast = (): number => lastSize

const copyOf = (value: unknown, walk: Walk): unknown => {
  switch (typeof value) {
    case 'string':
      return cut(value, walk)
    case 'number':
      walk.left -= NODE
      // JSON has neither -0 nor the numbers that are none.
      return Number.isFinite(value) ? value || 0 : String(value)
    case 'boolean':
      walk.left -= NODE
      return value
    case 'bigint':
    case 'symbol':
      return cut(String(value), walk)
    case 'object':
      if (value !== null) return guarded(value, walk)
      walk.left -= NODE
      return null
    default:
      walk.left -= NODE
      return undefined
  }
}

/** Objects of the application may throw when they are looked at. */
const guarded = (value: object, walk: Walk): unknown => {
  const { above } = walk
  if (above.length >= MAX_DEPTH) return cut('[nested too deep]', walk)
  if (above.includes(value)) return cut('[circular]', walk)
  walk.left -= NODE
  above.push(value)
  try {
    return inside(value, walk)
  } catch (error) {
    return cut(unreadable(error), walk)
  } finally {
    above.pop()
  }
}

const inside = (value: object, walk: Walk): unknown => {
  if (Array.isArray(value)) return listOf(value, value.length, walk)
  const written = jsonOf(value)
  if (written === value) return shown(value, walk)
  // As in JSON, what it gives is not asked again.
  if (typeof written !== 'object' || written === null || Array.isArray(written))
    return copyOf(written, walk)
  if (walk.above.includes(written)) return cut('[circular]', walk)
  walk.above.push(written)
  try {
    return shown(written, walk)
  } finally {
    walk.above.pop()
  }
}

const shown = (value: object, walk: Walk): unknown => {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null)
    return objectOf(value, Object.keys(value), walk)
  const form = formOf(value)
  switch (form.kind) {
    case 'text':
      return cut(form.text, walk)
    case 'primitive':
      return copyOf(form.value, walk)
    case 'list':
      return listOf(form.items, form.length, walk)
    case 'pairs':
      return pairsOf(form.pairs, form.length, walk)
    case 'members':
      return objectOf(value, form.keys, walk)
  }
}

/** What an object writes for itself; the object, where it writes nothing, or fails at it. */
const jsonOf = (value: object): unknown => {
  try {
    const { toJSON } = value as { toJSON?: unknown }
    // Bytes are named, and not listed.
    if (typeof toJSON !== 'function' || ArrayBuffer.isView(value)) return value
    // An invalid date writes null, which is not what it is.
    return toJSON.call(value, '') ?? (value instanceof Date ? String(value) : null)
  } catch {
    return value
  }
}

const listOf = (items: Iterable<unknown>, length: number, walk: Walk): unknown[] => {
  const copy: unknown[] = []
  for (const item of items) {
    if (walk.left <= 0) {
      copy.push(`[cut: ${length - copy.length} more of ${length} items]`)
      break
    }
    // As in JSON, a list keeps a place for what it can't hold.
    copy.push(copyOf(item, walk) ?? null)
  }
  return copy
}

/** An object where the keys are texts that differ, else a list of pairs. */
const pairsOf = (
  pairs: Iterable<readonly [unknown, unknown]>,
  length: number,
  walk: Walk,
): unknown => {
  const list: unknown[] = []
  const names = new Set<unknown>()
  for (const [key, value] of pairs) {
    if (walk.left <= 0) {
      list.push(['[cut]', `${length - list.length} more of ${length} members`])
      break
    }
    const name = copyOf(key, walk)
    names.add(typeof key === 'object' || typeof key === 'function' ? undefined : String(name))
    list.push([name ?? null, copyOf(value, walk) ?? null])
  }
  if (names.has(undefined) || names.size < Math.min(list.length, length)) return list
  const copy: Record<string, unknown> = {}
  for (const [name, value] of list as [unknown, unknown][]) put(copy, String(name), value)
  return copy
}

const objectOf = (value: object, keys: readonly string[], walk: Walk): Record<string, unknown> => {
  const copy: Record<string, unknown> = {}
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string
    if (walk.left <= 0) {
      copy['[cut]'] = `${keys.length - index} more of ${keys.length} members`
      break
    }
    const name = cut(key, walk)
    const item = copyOf(read(value, key), walk)
    if (item !== undefined) put(copy, name, item)
  }
  return copy
}

const put = (copy: Record<string, unknown>, name: string, value: unknown): void => {
  // Assigning it would change what the copy inherits from.
  if (name === '__proto__') Object.defineProperty(copy, name, { value, enumerable: true })
  else copy[name] = value
}

/** A member of an object; one that throws when it is read says so. */
const read = (value: object, key: string): unknown => {
  try {
    return (value as Record<string, unknown>)[key]
  } catch (error) {
    return unreadable(error)
  }
}

const cut = (text: string, walk: Walk): string => {
  const left = Math.max(0, walk.left)
  walk.left -= text.length + NODE
  if (text.length <= left) return text
  // Not between the halves of a pair, which would leave something that is no character.
  const end = isHighSurrogate(text.charCodeAt(left - 1)) ? left - 1 : left
  return `${text.slice(0, end)}… [cut: ${end} of ${text.length} characters kept]`
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

const unreadable = (error: unknown): string => `[unreadable: ${reasonOf(error)}]`

/** What an error says, in short. */
export const reasonOf = (error: unknown): string => {
  try {
    return String(error instanceof Error ? error.message : error).slice(0, MAX_REASON)
  } catch {
    return 'an unreadable error'
  }
}
