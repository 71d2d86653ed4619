/**
 * Writes a value as JSON whose keys are sorted, so that equal values have equal texts. Values that JSON does not know are
 * left out as by `JSON.stringify`. @throws TypeError when the value contains itself.
 */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value)) ?? 'null'

const sorted = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if ('toJSON' in value && typeof value.toJSON === 'function') return sorted(value.toJSON())
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  // A list of pairs: an object would put keys that are whole numbers first, and lose `__proto__`.
  return { object: entries.map(([key, inner]) => [key, sorted(inner)]) }
}

const encoder = new TextEncoder()

/** Returns the SHA-256 of texts, as 64 hexadecimal digits. */
export const hashOf = async (...parts: readonly string[]): Promise<string> => {
  const bytes = encoder.encode(JSON.stringify(parts))
  return hex(new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', bytes)))
}

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Returns a whole number from 0 to 2^32 - 1 that depends on every part. Fast, and good enough to seed a task. */
export const seedOf = (...parts: readonly (string | number)[]): number => {
  let hash = 0x811c9dc5
  for (const character of JSON.stringify(parts)) {
    hash ^= character.codePointAt(0) as number
    hash = Math.imul(hash, 0x01000193)
  }
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
