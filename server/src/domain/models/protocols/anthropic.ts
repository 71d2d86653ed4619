import { isObject } from '../../values.js'
import { usageOf } from './openai.js'
import {
  type ModelEvent,
  numberOf,
  type Protocol,
  plainMessages,
  plainSettings,
  textOf,
} from './protocol.js'

/** Anthropic wants a limit; this one is for prompts whose settings have none. */
const MAX_TOKENS = 1024

/** Anthropic's messages, as a stream. */
export const anthropic: Protocol = {
  address: (baseUrl) => `${baseUrl}${/\/v\d+$/.test(baseUrl) ? '' : '/v1'}/messages`,
  headers: (key): Record<string, string> => ({
    ...(key === '' ? {} : { 'x-api-key': key }),
    'anthropic-version': '2023-06-01',
  }),
  body: ({ model, messages, settings, tools }) => {
    const plain = plainMessages(messages)
    const system = plain.filter(({ role }) => role === 'system').flatMap(textsOf)
    return {
      max_tokens: MAX_TOKENS,
      ...plainSettings(settings),
      model,
      ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
      messages: plain.filter(({ role }) => role !== 'system'),
      ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
      stream: true,
    }
  },
  read: ({ type, message, delta, usage, index, content_block: block, error }) => {
    if (type === 'error' && isObject(error))
      return [{ type: 'error', message: textOf(error.message) ?? 'unknown' }]
    if (type === 'message_start' && isObject(message) && isObject(message.usage))
      return [usageOf(numberOf(message.usage.input_tokens), undefined)]
    const place = numberOf(index) ?? 0
    if (type === 'content_block_start' && isObject(block) && block.type === 'tool_use')
      return [{ type: 'tool', index: place, name: textOf(block.name) ?? '' }]
    if (!isObject(delta)) return []
    if (type === 'content_block_delta') return readDelta(delta, place)
    if (type !== 'message_delta') return []
    const reason = textOf(delta.stop_reason)
    return [
      ...(isObject(usage) ? [usageOf(undefined, numberOf(usage.output_tokens))] : []),
      ...(reason === undefined ? [] : [{ type: 'end' as const, reason }]),
    ]
  },
}

const readDelta = (delta: Record<string, unknown>, index: number): ModelEvent[] => {
  const text = textOf(delta.text)
  if (text) return [{ type: 'text', text }]
  const pieces = textOf(delta.partial_json)
  return pieces ? [{ type: 'tool', index, arguments: pieces }] : []
}

/** Returns the texts of a message's content. */
const textsOf = ({ content }: Record<string, unknown>): string[] =>
  typeof content === 'string'
    ? [content]
    : (Array.isArray(content) ? content : []).flatMap((part) => textOf(part?.text) ?? [])

/** Returns a tool in Anthropic's form; prompts mostly have OpenAI's. */
const toolOf = (tool: unknown): unknown =>
  isObject(tool) && isObject(tool.function)
    ? {
        name: tool.function.name,
        description: tool.function.description,
        input_schema: tool.function.parameters ?? { type: 'object' },
      }
    : tool
