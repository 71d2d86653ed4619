// The service stores objects. Anything else is stored as `{ content }`, and so is an object that looks like that, so that
// every value comes back as it was.

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isWrapped = (value: Record<string, unknown>): boolean => {
  try {
    return Object.keys(value).length === 1 && 'content' in value
  } catch {
    // A proxy whose traps throw: JSON has none of it, which is an error of its result alone.
    return false
  }
}

/** Returns the object as which a value is stored; null for `undefined`. */
export const toPayload = (value: unknown): Record<string, unknown> | null => {
  if (value === undefined) return null
  return isObject(value) && !isWrapped(value) ? value : { content: value }
}

/** Returns the value that is stored as an object; `undefined` for null. */
export const fromPayload = (stored: unknown): unknown => {
  if (stored === null || stored === undefined) return undefined
  return isObject(stored) && isWrapped(stored) ? stored.content : stored
}
