import { isPlain } from '../../values/fit.js'
import { keyOf, type Normal } from './normal.js'

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

/** Reads messages into the form in which they are compared, equal ones once: each call repeats those before it. */
export class Sayings {
  readonly #normal: Normal
  /** By their JSON. */
  readonly #known = new Map<string, { readonly saying: unknown; readonly key: string }>()

  constructor(normal: Normal) {
    this.#normal = normal
  }

  /** Returns what messages say: the same object for equal ones. */
  read(messages: readonly unknown[] | undefined): readonly unknown[] | undefined {
    return messages?.map((message) => this.#read(message).saying)
  }

  /** Returns a text that is the same for messages that say the same. */
  keyOf(messages: readonly unknown[] | undefined): string {
    return (messages ?? []).map((message) => this.#read(message).key).join('\n')
  }

  #read(message: unknown) {
    const text = JSON.stringify(message) ?? ''
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const saying = this.#normal(sayingOf(message))
    const read = { saying, key: keyOf(saying) }
    this.#known.set(text, read)
    return read
  }
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
