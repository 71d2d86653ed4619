/** Deeper than any payload of a model, and far less than recursive JSON parsers can read, the database's included. */
const MAX_DEPTH = 500

const TOO_DEEP = `expected JSON nested at most ${MAX_DEPTH} levels deep`
/** Such a number is read as Infinity, which JSON has no form for: it would come back as null. */
const TOO_LARGE = `expected JSON with numbers up to ${Number.MAX_VALUE}, got a larger one`

/** Returns why a value of JSON cannot be stored as it is; undefined when it can. */
export const whyNotStored = (value: unknown, depth = 0): string | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : TOO_LARGE
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= MAX_DEPTH) return TOO_DEEP
  if (Array.isArray(value)) {
    for (const item of value) {
      const reason = whyNotStored(item, depth + 1)
      if (reason !== undefined) return reason
    }
    return undefined
  }
  // Object.values would take twice as long as the loop itself.
  for (const name in value) {
    const reason = whyNotStored((value as Record<string, unknown>)[name], depth + 1)
    if (reason !== undefined) return reason
  }
  return undefined
}
