import { isPlain } from '../../values/fit.js'
import type { Normal } from './normal.js'

type Fields = Record<string, unknown>

/**
 * Returns a message with what it says, and without its place and ids: clients repeat answers with members of their own, and
 * frameworks record messages in forms of their own.
 */
export const sayingOf = (message: unknown): unknown => {
  if (!isPlain(message)) return message
  const { role, name, content, tool_calls: calls } = message
  const said: Fields = { role }
  if (typeof name === 'string') said.name = name
  const shown = contentOf(content)
  if (shown !== undefined) said.content = shown
  if (Array.isArray(calls) && calls.length > 0) said.calls = calls.map(callOf)
  return said
}

/** Makes a function that returns what messages say in the form in which it is compared, each read once. */
export const sayingsBy = (
  normal: Normal,
): ((messages: readonly unknown[] | undefined) => readonly unknown[] | undefined) => {
  const known = new WeakMap<object, unknown>()
  const read = (message: unknown): unknown => {
    if (!isPlain(message)) return normal(message)
    const saying = known.get(message) ?? normal(sayingOf(message))
    known.set(message, saying)
    return saying
  }
  return (messages) => messages?.map(read)
}

/** A list of texts says the same as one text; no content the same as an empty one. */
const contentOf = (content: unknown): unknown => {
  if (content == null || content === '') return undefined
  if (!Array.isArray(content)) return content
  const isText = content.every((part) => isPlain(part) && typeof part.text === 'string')
  return isText ? content.map((part) => (part as { text: string }).text).join('') : content
}

const callOf = (call: unknown): unknown => {
  if (!isPlain(call)) return call
  const { name, arguments: given } = isPlain(call.function) ? call.function : call
  return { name, arguments: typeof given === 'string' ? parsed(given) : given }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
