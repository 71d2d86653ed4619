/** Nesting that no reader follows; the service ends at 500 levels, those of the step around the value included. */
const DEEPEST = 200
/** What a list or an object takes beside its content, in characters, so that many small ones have an end too. */
const NODE = 8

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
  } finally {
    walk.isBusy = false
    lastSize = most - walk.left
  }
}

/** The same for an object whose members the service knows by name: each of them has as much room as a value of its own. */
export const captureMembers = (value: unknown, most: number): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return capture(value, most)
  const copy: Record<string, unknown> = {}
  let size = 0
  try {
    for (const key of Object.keys(value)) {
      const item = capture(read(value, key), most)
      size += lastSize
      if (item !== undefined) copy[key] = item
    }
  } catch (error) {
    return `[unreadable: ${reasonOf(error)}]`
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
    case 'boolean':
      walk.left -= NODE
      return value
    case 'bigint':
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
  if (above.length >= DEEPEST) return '[nested too deep]'
  if (above.includes(value)) return '[circular]'
  walk.left -= NODE
  above.push(value)
  try {
    return inside(value, walk)
  } catch (error) {
    return `[unreadable: ${reasonOf(error)}]`
  } finally {
    above.pop()
  }
}

const inside = (value: object, walk: Walk): unknown => {
  if (Array.isArray(value)) return listOf(value, value.length, walk)
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON === 'function' && !isBinary(value)) return copyOf(toJSON.call(value), walk)
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return objectOf(value, walk)
  if (isBinary(value)) return `[${value.constructor.name} of ${value.byteLength} bytes]`
  if (value instanceof Error) return objectOf(errorMembers(value), walk)
  if (value instanceof Map) return objectOf(Object.fromEntries(value), walk)
  if (value instanceof Set) return listOf(value, value.size, walk)
  if (value instanceof RegExp) return cut(String(value), walk)
  return objectOf(value, walk)
}

/** What an error says is no member that is listed. */
const errorMembers = (error: Error): object =>
  Object.assign({ name: error.name, message: error.message }, error)

const isBinary = (value: object): value is ArrayBufferView | ArrayBuffer =>
  ArrayBuffer.isView(value) || value instanceof ArrayBuffer

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

const objectOf = (value: object, walk: Walk): Record<string, unknown> => {
  const copy: Record<string, unknown> = {}
  const keys = Object.keys(value)
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string
    if (walk.left <= 0) {
      copy['[cut]'] = `${keys.length - index} more of ${keys.length} members`
      break
    }
    const name = cut(key, walk)
    const item = copyOf(read(value, key), walk)
    if (item === undefined) continue
    // Assigning it would change what the copy inherits from.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: item, enumerable: true })
    else copy[name] = item
  }
  return copy
}

/** A member of an object; one that throws when it is read says so. */
const read = (value: object, key: string): unknown => {
  try {
    return (value as Record<string, unknown>)[key]
  } catch (error) {
    return `[unreadable: ${reasonOf(error)}]`
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

export const reasonOf = (error: unknown): string => {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'an error that can not be read'
  }
}
