/** Characters of a shown value. */
const MAX_SHOWN = 200
/** Levels of a shown value. */
const MAX_DEPTH = 6

/** Writes a value for a message: short, in one line, and whatever it is. Never throws. */
export const show = (value: unknown, most = MAX_SHOWN): string => {
  let text: string
  try {
    text = written(value, MAX_DEPTH)
  } catch {
    text = '[unreadable]'
  }
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

const written = (value: unknown, depth: number): string => {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'function') return value.name ? `[function ${value.name}]` : '[function]'
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof RegExp || value instanceof Error) return String(value)
  const { toAsymmetricMatcher, asymmetricMatch } = value as Record<string, unknown>
  if (typeof toAsymmetricMatcher === 'function') return String(toAsymmetricMatcher.call(value))
  if (typeof asymmetricMatch === 'function') return String(value)
  if (depth === 0) return Array.isArray(value) ? '[…]' : '{…}'
  if (Array.isArray(value)) return `[${value.map((item) => written(item, depth - 1)).join(', ')}]`
  const members = Object.entries(value).map(
    ([name, member]) => `${name}: ${written(member, depth - 1)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
