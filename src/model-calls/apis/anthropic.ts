import { isJson, type Json, objectsOf, parsed, textOf, without } from '../json.js'
import { fromAnthropic } from '../usage/anthropic.js'
import { mergedRaw } from '../usage/usage.js'
import { type Answer, type Answered, type Api, errorOf, type Message } from './api.js'
import { Gathered } from './blocks.js'
import { listOf } from './openai-chat.js'

/** The members of a block that come in pieces. */
const PIECES = ['text', 'thinking', 'signature', 'content', 'partial_json']

const NO_SETTING = new Set(['model', 'messages', 'system', 'tools', 'anthropic_version'])

/** Messages, the API of Anthropic, also at its own paths in the clouds of Google and Amazon. */
export const anthropic: Api = {
  name: 'anthropic.messages',
  operation: 'chat',
  type: 'llm',
  provider: 'anthropic',
  isRequest: ({ messages, max_tokens: most }) =>
    Array.isArray(messages) && typeof most === 'number',
  ask: (body, path) => ({
    model: textOf(body.model) ?? /\/models?\/([^/:]+)[:/]/.exec(path)?.[1],
    messages: [
      ...(body.system === undefined ? [] : messagesOf({ role: 'system', content: body.system })),
      ...objectsOf(body.messages).flatMap(messagesOf),
    ],
    tools: listOf(body.tools),
    settings: without(body, NO_SETTING),
  }),
  answer: () => new MessageAnswer(),
  joinedOf: ({ type, delta }) => {
    if (type !== 'content_block_delta' || !isJson(delta) || delta.citation !== undefined)
      return undefined
    const [name, ...others] = PIECES.filter((one) => typeof delta[one] === 'string')
    const text = name === undefined ? undefined : textOf(delta[name])
    return name === undefined || text === undefined || others.length > 0
      ? undefined
      : { name, text }
  },
}

const messagesOf = ({ role, content }: Json): Message[] => {
  const name = textOf(role) ?? 'user'
  if (typeof content === 'string') return [{ role: name, content }]
  return gathered(objectsOf(content)).messages(name)
}

const gathered = (blocks: readonly Json[]): Gathered => {
  const found = new Gathered()
  for (const block of blocks) {
    const { type, text, source } = block
    if (type === 'text' && typeof text === 'string') found.text(text, without(block, NO_PART) ?? {})
    else if (type === 'tool_use') found.call(block.id, block.name, block.input)
    else if (type === 'tool_result')
      found.answer(
        block.tool_use_id,
        block.content,
        block.is_error === true ? { is_error: true } : {},
      )
    else if (type === 'image' && isJson(source) && source.type === 'url')
      found.image(String(source.url))
    else if (type === 'image' && isJson(source) && source.type === 'base64')
      found.image(`data:${source.media_type};base64,${source.data}`)
    else found.part(block)
  }
  return found
}

const NO_PART = new Set(['type', 'text', 'cache_control'])

class MessageAnswer implements Answer {
  hasContent = false
  isOver = false
  #id: string | undefined
  #model: string | undefined
  #error: string | undefined
  #finishReason: string | undefined
  #usage: Json | undefined
  #blocks: Json[] = []
  /** The arguments of tools, whose JSON comes in pieces. */
  readonly #inputs = new Map<number, string>()

  whole(body: unknown): void {
    if (!isJson(body)) return
    if (body.type === 'error') this.#error = errorOf(body)
    this.#message(body)
    this.#blocks = objectsOf(body.content)
    this.hasContent = this.#blocks.length > 0
  }

  event(data: Json): void {
    const { type, index, delta } = data
    const place = typeof index === 'number' && index >= 0 && index < MAX_BLOCKS ? index : undefined
    if (type === 'message_start' && isJson(data.message)) this.#message(data.message)
    else if (type === 'content_block_start' && place !== undefined && isJson(data.content_block)) {
      this.#blocks[place] = { ...data.content_block }
      this.hasContent ||=
        data.content_block.type !== 'text' && data.content_block.type !== 'thinking'
    } else if (type === 'content_block_delta' && place !== undefined && isJson(delta))
      this.#delta(place, delta)
    else if (type === 'message_delta') {
      if (isJson(delta)) this.#finishReason = textOf(delta.stop_reason) ?? this.#finishReason
      if (isJson(data.usage)) this.#usage = mergedRaw(this.#usage, data.usage)
    } else if (type === 'message_stop') this.isOver = true
    else if (type === 'error') {
      this.#error = errorOf(data)
      this.isOver = true
    }
  }

  read(): Answered {
    const blocks = this.#blocks.flatMap((block, place): Json[] => {
      if (block === undefined) return []
      // A call without arguments comes as an empty text.
      const input = this.#inputs.get(place)
      return [!input ? block : { ...block, input: parsed(input) ?? input }]
    })
    return {
      id: this.#id,
      model: this.#model,
      message: blocks.length === 0 ? undefined : gathered(blocks).message('assistant'),
      finishReason: this.#finishReason,
      usage: this.#usage && fromAnthropic(this.#usage),
      error: this.#error,
    }
  }

  #message(message: Json): void {
    this.#id = textOf(message.id)
    this.#model = textOf(message.model)
    this.#finishReason = textOf(message.stop_reason)
    if (isJson(message.usage)) this.#usage = mergedRaw(this.#usage, message.usage)
  }

  #delta(place: number, delta: Json): void {
    this.#blocks[place] ??= { type: 'text' }
    const block = this.#blocks[place] as Json
    const { partial_json: json, citation } = delta
    if (typeof json === 'string') this.#inputs.set(place, (this.#inputs.get(place) ?? '') + json)
    else if (citation !== undefined)
      block.citations = [...(Array.isArray(block.citations) ? block.citations : []), citation]
    else
      for (const name of PIECES)
        if (typeof delta[name] === 'string')
          block[name] = (typeof block[name] === 'string' ? block[name] : '') + delta[name]
    this.hasContent = true
  }
}

const MAX_BLOCKS = 10_000
