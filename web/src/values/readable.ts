/** The depth to which values are written out; deeper ones stay JSON, so that no recorded value exhausts the stack. */
const MAX_DEPTH = 60

const isPlain = (text: string): boolean =>
  text !== '' &&
  !/^[\s\-?:,[\]{}#&*!|>'"%@`]|[:#]\s|:$|\s$|\n/.test(text) &&
  !/^(true|false|null|~|[-+.\d].*)$/i.test(text)

const scalar = (value: unknown): string =>
  typeof value === 'string'
    ? isPlain(value)
      ? value
      : JSON.stringify(value)
    : JSON.stringify(value)

const block = (text: string, indent: string): string =>
  `|\n${text
    .split('\n')
    .map((one) => (one === '' ? '' : `${indent}${one}`))
    .join('\n')}`

/**
 * Writes a JSON value for readers: keys and dashes instead of brackets and quotes, line breaks as lines. It resembles
 * YAML and is meant for reading only; the raw value is one key away.
 */
export const readable = (value: unknown, indent = '', depth = 0): string => {
  if (typeof value === 'string')
    return value.includes('\n') ? block(value, `${indent}  `) : scalar(value)
  if (typeof value !== 'object' || value === null) return scalar(value)
  if (depth >= MAX_DEPTH) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  if (entries.length === 0) return isList ? '[]' : '{}'
  return entries
    .map(([key, item]) => {
      const head = isList ? '-' : `${isPlain(key) ? key : JSON.stringify(key)}:`
      if (typeof item === 'object' && item !== null && Object.keys(item).length > 0) {
        const inside = readable(item, `${indent}  `, depth + 1)
        return isList ? `${indent}- ${inside.trimStart()}` : `${indent}${head}\n${inside}`
      }
      const text =
        typeof item === 'string' && item.includes('\n')
          ? block(item, `${indent}  `)
          : readable(item, indent, depth + 1)
      return `${indent}${head} ${text}`
    })
    .join('\n')
}

/** Shortens a value of any size for a cell. */
export const excerpt = (value: unknown): string =>
  value == null ? '' : readable(value).slice(0, 400)

/** Returns the text of a value that is one, or an object with nothing else. */
export const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { content } = value as { content?: unknown }
  return typeof content === 'string' && Object.keys(value).length === 1 ? content : undefined
}
