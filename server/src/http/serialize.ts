import { DomainError } from '../kernel/errors.js'
import type { Turn } from '../kernel/sharing/turns.js'

/** Characters that are written at once, which takes a fraction of a millisecond. */
const PART = 65_536
/** The characters that a value takes beside its texts, about. */
const OF_VALUE = 8
/** The characters of an answer. Clients hold it as one text, and the longest one in JavaScript has half a billion. */
const MAX_LENGTH = 500_000_000

/**
 * Writes a plain value as JSON, exactly as `JSON.stringify` does. A large one is written in parts, before each of which others
 * have their turn, and comes as bytes.
 */
export const serialize = async (
  value: unknown,
  turn: Turn,
  size = PART,
): Promise<string | Buffer<ArrayBuffer>> => {
  if (weightOf(value, size) < size) return JSON.stringify(value)
  const parts: Buffer[] = []
  let length = 0
  for (const part of partsOf(value, size)) {
    await turn()
    parts.push(Buffer.from(part))
    length += part.length
    if (length > MAX_LENGTH)
      throw new DomainError(
        'TOO_LARGE',
        'first: the answer would be too large; ask for fewer rows or fields',
      )
  }
  return Buffer.concat(parts)
}

/** Yields texts of limited length that together are a value as JSON; a long string is one of them. */
function* partsOf(value: unknown, size: number): Generator<string> {
  if (typeof value !== 'object' || value === null || weightOf(value, size) < size)
    yield JSON.stringify(value) ?? 'null'
  else if (Array.isArray(value)) yield* partsOfArray(value, size)
  else yield* partsOfObject(value, size)
}

function* partsOfArray(items: readonly unknown[], size: number): Generator<string> {
  let opening = '['
  let from = 0
  let weight = 0
  const some = (to: number) => JSON.stringify(items.slice(from, to)).slice(1, -1)
  for (let at = 0; at < items.length; at++) {
    const own = weightOf(items[at], size)
    if (weight + own < size) {
      weight += own
      continue
    }
    if (at > from) {
      yield `${opening}${some(at)}`
      opening = ','
    }
    from = at
    weight = own
    if (own < size) continue
    yield opening
    opening = ','
    yield* partsOf(items[at], size)
    from = at + 1
    weight = 0
  }
  yield from < items.length ? `${opening}${some(items.length)}]` : opening === '[' ? '[]' : ']'
}

function* partsOfObject(object: object, size: number): Generator<string> {
  let opening = '{'
  for (const [key, value] of Object.entries(object)) {
    // JSON has no such values.
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol') continue
    yield `${opening}${JSON.stringify(key)}:`
    opening = ','
    yield* partsOf(value, size)
  }
  yield opening === '{' ? '{}' : '}'
}

/** Returns about how many characters a value takes, looking no further than to a limit. */
const weightOf = (value: unknown, limit: number): number => {
  if (typeof value === 'string') return OF_VALUE + value.length
  if (typeof value !== 'object' || value === null) return OF_VALUE
  let weight = OF_VALUE
  if (Array.isArray(value)) {
    for (const item of value) {
      weight += weightOf(item, limit - weight)
      if (weight >= limit) return weight
    }
    return weight
  }
  for (const key in value) {
    weight += key.length + weightOf(value[key as keyof typeof value], limit - weight)
    if (weight >= limit) return weight
  }
  return weight
}
