import { isJson, type Json, objectsOf, textOf, without } from '../json.js'
import { fromOllama } from '../usage/others.js'
import { type Answer, type Answered, type Api, errorOf, type Joined, type Message } from './api.js'
import { listOf } from './openai-chat.js'

const NO_SETTING = new Set(['model', 'messages', 'prompt', 'system', 'tools'])

/** The chat of Ollama and of servers like it. */
export const ollamaChat: Api = {
  name: 'ollama.chat',
  operation: 'chat',
  type: 'llm',
  provider: 'ollama',
  isRequest: ({ model, messages }) => typeof model === 'string' && Array.isArray(messages),
  ask: (body) => ({
    model: textOf(body.model),
    messages: objectsOf(body.messages).map(withTexts),
    tools: listOf(body.tools),
    settings: without(body, NO_SETTING),
  }),
  answer: () => new OllamaAnswer(),
  joinedOf: (event) => onlyPiece(event),
}

/** The completion of a text by Ollama. */
export const ollamaGenerate: Api = {
  name: 'ollama.generate',
  operation: 'text_completion',
  type: 'llm',
  provider: 'ollama',
  isRequest: ({ model, prompt }) => typeof model === 'string' && typeof prompt === 'string',
  ask: (body) => ({
    model: textOf(body.model),
    prompt: `${textOf(body.system) === undefined ? '' : `${body.system}\n\n`}${body.prompt}`,
    settings: without(body, NO_SETTING),
  }),
  answer: () => new OllamaAnswer(),
  joinedOf: (event) => onlyPiece(event),
}

/** Arguments of tools are objects there, and texts in messages. */
const withTexts = (message: Message): Message => {
  const calls = objectsOf(message.tool_calls)
  if (calls.length === 0) return message
  return {
    ...message,
    tool_calls: calls.map((call) => {
      if (!isJson(call.function)) return call
      const given = call.function.arguments
      const { index: _, ...named } = call.function
      return {
        type: 'function',
        ...call,
        function: {
          ...named,
          arguments: typeof given === 'string' ? given : JSON.stringify(given),
        },
      }
    }),
  }
}

/** Returns the text of a piece that has nothing else. */
const onlyPiece = ({ done, response, message }: Json): Joined | undefined => {
  if (done === true) return undefined
  const found: Joined[] = []
  if (typeof response === 'string') found.push({ name: 'response', text: response })
  if (isJson(message))
    for (const name in message) {
      const value = message[name]
      if (Array.isArray(value)) return undefined
      if (name !== 'role' && typeof value === 'string' && value !== '')
        found.push({ name, text: value })
    }
  return found.length === 1 && found[0]?.text !== '' ? found[0] : undefined
}

class OllamaAnswer implements Answer {
  hasContent = false
  isOver = false
  #model: string | undefined
  #error: string | undefined
  #last: Json | undefined
  #completion: string | undefined
  #message: Json | undefined

  whole(body: unknown): void {
    if (isJson(body)) this.event(body)
  }

  event(data: Json): void {
    this.#model = textOf(data.model) ?? this.#model
    if (data.error != null) this.#error = errorOf(data)
    if (typeof data.response === 'string')
      this.#completion = (this.#completion ?? '') + data.response
    if (isJson(data.message)) this.#add(data.message)
    this.hasContent ||= textOf(data.response) !== undefined
    if (data.done === true) {
      this.#last = data
      this.isOver = true
    }
  }

  read(): Answered {
    return {
      model: this.#model,
      message: this.#message && withTexts(this.#message),
      completion: this.#completion,
      finishReason: textOf(this.#last?.done_reason),
      usage: this.#last && fromOllama(this.#last),
      error: this.#error,
    }
  }

  #add(message: Json): void {
    this.#message ??= { role: 'assistant' }
    for (const name in message) {
      const value = message[name]
      const before = this.#message[name]
      if (name === 'role' || value === null) continue
      this.#message[name] =
        typeof value === 'string' && typeof before === 'string'
          ? before + value
          : Array.isArray(value) && Array.isArray(before)
            ? [...before, ...value]
            : value
      this.hasContent ||= value !== ''
    }
  }
}
