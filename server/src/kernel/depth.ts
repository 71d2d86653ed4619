/** Deeper than any payload of a model, and far less than recursive JSON parsers can read, the database's included. */
export const MAX_DEPTH = 500

/** Returns true when a value nests too deep to be stored. */
export const isTooDeep = (value: unknown, depth = 0): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (depth >= MAX_DEPTH) return true
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, depth + 1))
  // Object.values would take twice as long as the loop itself.
  for (const name in value)
    if (isTooDeep((value as Record<string, unknown>)[name], depth + 1)) return true
  return false
}
