import { isJson, type Json, objectsOf, textOf, without } from '../json.js'
import { toldCost } from '../told-cost.js'
import { fromOpenAI } from '../usage/openai.js'
import { type Answer, type Answered, type Api, errorOf } from './api.js'
import { deploymentOf, listOf } from './openai-chat.js'
import { messageOf, messagesOf } from './openai-items.js'

const NO_SETTING = new Set(['model', 'input', 'instructions', 'tools'])

/** Responses, the newer API of OpenAI. */
export const openAIResponses: Api = {
  name: 'openai.responses',
  operation: 'chat',
  type: 'llm',
  provider: undefined,
  isRequest: ({ input, prompt, model }) =>
    isJson(prompt) ||
    (typeof model === 'string' && (typeof input === 'string' || Array.isArray(input))),
  ask: (body, path) => ({
    model: textOf(body.model) ?? deploymentOf(path),
    messages: messagesOf(body.input, body.instructions),
    tools: listOf(body.tools),
    settings: without(body, NO_SETTING),
  }),
  answer: () => new ResponseAnswer(),
  joinedOf: ({ type, delta, response }) => {
    const text = isJson(response) || PIECES[String(type)] === undefined ? undefined : textOf(delta)
    return text === undefined ? undefined : { name: 'delta', text }
  },
}

/** The members of an item that come in pieces, by the event that brings them. */
const PIECES: Readonly<Record<string, readonly [list: string | undefined, member: string]>> = {
  'response.output_text.delta': ['content', 'text'],
  'response.refusal.delta': ['content', 'refusal'],
  'response.reasoning_text.delta': ['content', 'text'],
  'response.reasoning_summary_text.delta': ['summary', 'text'],
  'response.function_call_arguments.delta': [undefined, 'arguments'],
  'response.custom_tool_call_input.delta': [undefined, 'input'],
  'response.mcp_call_arguments.delta': [undefined, 'arguments'],
  'response.code_interpreter_call_code.delta': [undefined, 'code'],
}
const END = /^response\.(completed|incomplete|failed|cancelled)$/

class ResponseAnswer implements Answer {
  hasContent = false
  isOver = false
  #id: string | undefined
  #model: string | undefined
  #error: string | undefined
  #status: string | undefined
  #usage: Json | undefined
  #items: Json[] = []

  whole(body: unknown): void {
    if (!isJson(body)) return
    this.#id = textOf(body.id) ?? this.#id
    this.#model = textOf(body.model) ?? this.#model
    this.#status = textOf(body.status)
    if (isJson(body.incomplete_details))
      this.#status = textOf(body.incomplete_details.reason) ?? this.#status
    if (isJson(body.usage)) this.#usage = body.usage
    if (body.error != null) this.#error = errorOf(body)
    const items = objectsOf(body.output)
    if (items.length > 0) this.#items = items
    this.hasContent ||= items.length > 0
  }

  event(data: Json): void {
    const type = String(data.type)
    const { output_index: index, item, response } = data
    const place = typeof index === 'number' && index >= 0 && index < MAX_ITEMS ? index : undefined
    if (isJson(response)) {
      this.whole(response)
      if (END.test(type)) this.isOver = true
    } else if (type === 'error') this.#error = errorOf(data)
    else if (place === undefined) return
    else if (/^response\.output_item\.(added|done)$/.test(type) && isJson(item)) {
      this.#items[place] = { ...item }
      this.hasContent ||= item.type !== 'message' && item.type !== 'reasoning'
    } else if (PIECES[type] !== undefined && typeof data.delta === 'string') {
      this.#piece(PIECES[type], place, data)
      this.hasContent = true
    }
  }

  read(): Answered {
    return {
      id: this.#id,
      model: this.#model,
      message: messageOf(this.#items.filter((item) => item !== undefined)),
      finishReason: this.#status,
      usage: this.#usage && fromOpenAI(this.#usage),
      cost: toldCost(this.#usage),
      error: this.#error,
    }
  }

  #piece([list, member]: readonly [string | undefined, string], place: number, data: Json): void {
    this.#items[place] ??= { type: 'message' }
    const item = this.#items[place] as Json
    if (list === undefined) {
      item[member] = `${item[member] ?? ''}${data.delta}`
      return
    }
    const parts = Array.isArray(item[list]) ? [...item[list]] : []
    const index = data.content_index ?? data.summary_index
    const at = typeof index === 'number' && index >= 0 && index < MAX_ITEMS ? index : 0
    const part = isJson(parts[at]) ? parts[at] : {}
    const type = member === 'refusal' ? 'refusal' : 'output_text'
    parts[at] = { type, ...part, [member]: `${part[member] ?? ''}${data.delta}` }
    item[list] = parts
  }
}

const MAX_ITEMS = 10_000
