/** Deeper than any payload of a model, and far from what recursive readers of JSON, the database's too, can't take. */
export const MAX_DEPTH = 500

/** Whether a value nests deeper than can be kept. */
export const isTooDeep = (value: unknown, depth = 0): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (depth >= MAX_DEPTH) return true
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, depth + 1))
  // A list of its values would take twice as long to make as they take to look at.
  for (const name in value)
    if (isTooDeep((value as Record<string, unknown>)[name], depth + 1)) return true
  return false
}
