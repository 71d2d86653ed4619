import { isJson, type Json } from '../json.js'
import type { Message } from './api.js'

/** Parts of a message in the forms of several providers, gathered into one message. */
export class Gathered {
  readonly #parts: Json[] = []
  readonly #calls: Json[] = []
  readonly #answers: Message[] = []

  text(text: string, rest: Json = {}): void {
    this.#parts.push({ type: 'text', text, ...rest })
  }

  /** Adds a part that is kept as the provider has it. */
  part(part: Json): void {
    this.#parts.push(part)
  }

  image(url: string): void {
    this.#parts.push({ type: 'image_url', image_url: { url } })
  }

  call(id: unknown, name: unknown, given: unknown): void {
    this.#calls.push({
      ...(id === undefined ? {} : { id }),
      type: 'function',
      function: { name, arguments: asText(given) },
    })
  }

  /** Adds the answer of a tool, which is a message of its own. */
  answer(id: unknown, content: unknown, rest: Json = {}): void {
    this.#answers.push({
      role: 'tool',
      ...(id === undefined ? {} : { tool_call_id: id }),
      content: asContent(content),
      ...rest,
    })
  }

  /** Returns the answers of tools, and then the message, if there is anything in it. */
  messages(role: string): Message[] {
    const message = this.message(role)
    return this.#parts.length + this.#calls.length === 0 && this.#answers.length > 0
      ? this.#answers
      : [...this.#answers, message]
  }

  message(role: string): Message {
    const isText = this.#parts.every(
      (part) => part.type === 'text' && Object.keys(part).length === 2,
    )
    return {
      role,
      content:
        this.#parts.length === 0
          ? this.#calls.length > 0
            ? null
            : ''
          : isText
            ? this.#parts.map(({ text }) => text).join('')
            : this.#parts,
      ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls }),
    }
  }

  get isEmpty(): boolean {
    return this.#parts.length + this.#calls.length + this.#answers.length === 0
  }
}

/** Arguments of tools are a text, as in the API that made them common. */
const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? {})

/** The content of a message is a text or a list of parts. */
const asContent = (content: unknown): unknown => {
  if (content === undefined || content === null) return ''
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return JSON.stringify(content)
  const isText = content.every((part) => isJson(part) && typeof part.text === 'string')
  return isText ? content.map((part) => (part as Json).text).join('') : content
}
