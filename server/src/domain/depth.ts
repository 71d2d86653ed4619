/** Deeper than any payload of a model, and far from what recursive readers of JSON, the database's too, can't take. */
export const DEEPEST = 500

/** Whether a value nests deeper than can be kept. */
export const isTooDeep = (value: unknown, depth = 0): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (depth >= DEEPEST) return true
  for (const item of Array.isArray(value) ? value : Object.values(value))
    if (isTooDeep(item, depth + 1)) return true
  return false
}
