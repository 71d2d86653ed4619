import mustache from 'mustache'

/** Returns the names that templates use. */
export const namesIn = (texts: readonly string[]): string[] => {
  const names = new Set<string>()
  const collect = (tokens: unknown) => {
    if (!Array.isArray(tokens)) return
    for (const token of tokens) {
      if (!Array.isArray(token)) continue
      const [kind, name, , , inner] = token as [string, string, number, number, unknown]
      if (['name', '&', '{', '#', '^'].includes(kind) && name !== '.')
        names.add(name.split('.')[0] ?? name)
      collect(inner)
    }
  }
  for (const text of texts)
    try {
      collect(mustache.parse(text))
    } catch {
      // A template that is half typed has no names yet.
    }
  return [...names]
}

/** Returns what a typed text means: JSON if it is an object, a list or a truth value, else the text. */
export const readValue = (text: string): unknown => {
  if (!/^\s*[[{]|^(true|false)$/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Writes a value as `format` of the SDK does: nothing is escaped, and objects are JSON. */
const written = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)

class PlainWriter extends mustache.Writer {
  override unescapedValue(token: string[], context: mustache.Context): string {
    const value: unknown = context.lookup(token[1] as string)
    return value === null || value === undefined ? '' : written(value)
  }
}
const writer = new PlainWriter()

/** @throws Error when the template is broken. */
export const renderText = (text: string, variables: Record<string, unknown>): string =>
  writer.render(text, variables, undefined, { escape: written })

/** Fills in the variables of messages: of texts, and of parts of type `text`. */
export const renderMessages = (
  template: unknown,
  variables: Record<string, unknown>,
): Record<string, unknown>[] =>
  (Array.isArray(template) ? template : []).map((message: Record<string, unknown>) => ({
    ...message,
    content: renderContent(message.content, variables),
  }))

const renderContent = (content: unknown, variables: Record<string, unknown>): unknown => {
  if (typeof content === 'string') return renderText(content, variables)
  if (!Array.isArray(content)) return content
  return content.map((part) =>
    part?.type === 'text' && typeof part.text === 'string'
      ? { ...part, text: renderText(part.text, variables) }
      : part,
  )
}
