import { DomainError } from '../kernel/errors.js'
import type { Turn } from '../kernel/sharing/turns.js'

/** Characters that are written at once, which takes a fraction of a millisecond. */
const PART = 65_536
/** Values that are weighed at once, which takes about as long. */
const AT_ONCE = 10_000
/** The characters that a value takes beside its texts, about. */
const OF_VALUE = 8
/** The characters of an answer. Clients hold it as one text, and the longest one in JavaScript has half a billion. */
const MAX_LENGTH = 500_000_000

/**
 * Writes a plain value as JSON, exactly as `JSON.stringify` does. A large one comes as a stream: each part is written once the
 * client has read those before it, and after others had their turn, so that it is never in memory as a whole.
 */
export const serialize = async (
  value: unknown,
  turn: Turn,
  size = PART,
): Promise<string | ReadableStream<Uint8Array>> => {
  if (weightOf(value, size) < size) return JSON.stringify(value)
  if (await isTooLong(value, turn))
    throw new DomainError(
      'TOO_LARGE',
      'first: the answer would be too large; ask for fewer rows or fields',
    )
  const parts = partsOf(value, size)
  return new ReadableStream(
    {
      pull: async (controller) => {
        await turn()
        const { done, value: part } = parts.next()
        if (done) controller.close()
        else controller.enqueue(Buffer.from(part))
      },
    },
    { highWaterMark: 1 },
  )
}

/** Tells whether a value is too long for an answer. Others have their turn meanwhile, as it may hold millions of values. */
const isTooLong = async (value: unknown, turn: Turn): Promise<boolean> => {
  const left = [value]
  let weight = 0
  for (let seen = 1; left.length > 0 && weight < MAX_LENGTH; seen++) {
    if (seen % AT_ONCE === 0) await turn()
    const one = left.pop()
    weight += typeof one === 'string' ? OF_VALUE + one.length : OF_VALUE
    if (Array.isArray(one)) for (const item of one) left.push(item)
    else if (typeof one === 'object' && one !== null)
      for (const [key, inner] of Object.entries(one)) {
        weight += key.length
        left.push(inner)
      }
  }
  return weight >= MAX_LENGTH
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
