import { isJson, type Json, objectsOf, textOf, without } from '../json.js'
import { fromCohere } from '../usage/others.js'
import { type Answer, type Answered, type Api, errorOf } from './api.js'
import { addDelta, onlyText } from './deltas.js'
import { listOf } from './openai-chat.js'

const NO_SETTING = new Set(['model', 'messages', 'tools'])

/** The chat of Cohere, in its second version. */
export const cohereChat: Api = {
  name: 'cohere.chat',
  operation: 'chat',
  type: 'llm',
  provider: 'cohere',
  isRequest: ({ model, messages }) => typeof model === 'string' && Array.isArray(messages),
  ask: (body) => ({
    model: textOf(body.model),
    messages: objectsOf(body.messages),
    tools: listOf(body.tools),
    settings: without(body, NO_SETTING),
  }),
  answer: () => new CohereAnswer(),
  joinedOf: ({ type, delta }) => {
    if (!/-delta$/.test(String(type)) || !isJson(delta) || !isJson(delta.message)) return undefined
    const { content, tool_calls: calls, tool_plan: plan, citations } = delta.message
    return isJson(citations)
      ? undefined
      : onlyText({
          ...(isJson(content) ? { content } : {}),
          ...(isJson(calls) ? { calls } : {}),
          ...(typeof plan === 'string' ? { tool_plan: plan } : {}),
        })
  },
}

class CohereAnswer implements Answer {
  hasContent = false
  isOver = false
  #id: string | undefined
  #error: string | undefined
  #finishReason: string | undefined
  #usage: Json | undefined
  #message: Json | undefined
  readonly #content: Json[] = []
  readonly #calls: Json[] = []

  whole(body: unknown): void {
    if (!isJson(body)) return
    this.#id = textOf(body.id)
    if (isJson(body.message)) this.#message = body.message
    else this.#error = errorOf(body)
    this.#end(body)
    this.hasContent = this.#message !== undefined
  }

  event(data: Json): void {
    const { type, index } = data
    const delta = isJson(data.delta) ? data.delta : {}
    const message = isJson(delta.message) ? delta.message : {}
    const place = typeof index === 'number' && index >= 0 && index < MAX_PARTS ? index : 0
    if (type === 'message-start') {
      this.#id = textOf(data.id)
      this.#message = { role: textOf(message.role) ?? 'assistant' }
    } else if (type === 'message-end') {
      this.#end(delta)
      this.isOver = true
    } else {
      this.#message ??= { role: 'assistant' }
      if (isJson(message.content)) addPiece(this.#content, place, message.content)
      if (isJson(message.tool_calls)) addPiece(this.#calls, place, message.tool_calls)
      if (typeof message.tool_plan === 'string')
        addDelta(this.#message, { tool_plan: message.tool_plan })
      if (isJson(message.citations)) addDelta(this.#message, { citations: [message.citations] })
      this.hasContent ||= /-delta$|^tool-call-start$/.test(String(type))
    }
  }

  read(): Answered {
    const content = this.#content.filter((part) => part !== undefined)
    const calls = this.#calls.filter((call) => call !== undefined)
    const isText = content.every(({ type }) => type === 'text')
    return {
      id: this.#id,
      message: this.#message && {
        role: 'assistant',
        ...this.#message,
        ...(content.length === 0
          ? {}
          : { content: isText ? content.map(({ text }) => text).join('') : content }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      },
      finishReason: this.#finishReason,
      usage: this.#usage && fromCohere(this.#usage),
      error: this.#error,
    }
  }

  #end({ finish_reason: reason, usage, error }: Json): void {
    this.#finishReason = textOf(reason)
    if (isJson(usage)) this.#usage = usage
    if (typeof error === 'string') this.#error = error
  }
}

const addPiece = (list: Json[], place: number, piece: Json): void => {
  const known = list[place] ?? {}
  addDelta(known, piece)
  list[place] = known
}

const MAX_PARTS = 10_000
