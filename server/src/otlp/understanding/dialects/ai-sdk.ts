// Calls of a model as the AI SDK writes them up to version 6, and later where an application asks for it: `ai.prompt.…`
// and `ai.response.…`. Its version 7 writes the conventions of OpenTelemetry.
import { isObject } from '../../../domain/values.js'
import type { Attributes } from '../../encoding/schema.js'
import { structure } from '../attributes.js'
import { asText, type Message, toCall } from '../messages.js'

const PROMPT = 'ai.prompt.messages'

/** Returns the messages of a prompt. */
export const askedOfAiSdk = (attributes: Attributes): Message[] => {
  const messages = structure(attributes.get(PROMPT))
  return Array.isArray(messages)
    ? messages.flatMap((one) => (isObject(one) ? toMessages(one) : []))
    : []
}

const toMessages = (message: Message): Message[] => {
  const { role, content } = message
  if (!Array.isArray(content)) return [{ role, content: content ?? null }]
  const parts = content.filter(isObject)
  const calls = parts.filter(({ type }) => type === 'tool-call')
  const results = parts.filter(({ type }) => type === 'tool-result')
  const others = parts.filter(({ type }) => type !== 'tool-call' && type !== 'tool-result')
  const own = {
    role,
    content: contentOf(others),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
  }
  const isOnlyResults = results.length > 0 && others.length + calls.length === 0
  return [
    ...(isOnlyResults ? [] : [own]),
    ...results.map((result) => ({
      role: 'tool',
      tool_call_id: result.toolCallId,
      ...(result.toolName === undefined ? {} : { name: result.toolName }),
      content: asText(resultOf(result)),
    })),
  ]
}

const contentOf = (parts: readonly Message[]): unknown => {
  if (parts.length === 0) return null
  const isText = parts.every(({ type, text }) => type === 'text' && typeof text === 'string')
  return isText ? parts.map(({ text }) => text).join('\n') : parts
}

const callOf = (part: Message): Message =>
  toCall({
    id: part.toolCallId,
    name: part.toolName,
    // Version 4 and 5 differ.
    arguments: part.input ?? part.args,
  })

/** Returns what a tool answered: `output` has a type and a value since version 5. */
const resultOf = ({ output, result }: Message): unknown =>
  isObject(output) && 'value' in output ? output.value : (output ?? result)

/** Returns the model's answer. */
export const answerOfAiSdk = (attributes: Attributes): Message | undefined => {
  const text = attributes.get('ai.response.text')
  const object = attributes.get('ai.response.object')
  const reasoning = attributes.get('ai.response.reasoning')
  const reason = attributes.get('ai.response.finishReason')
  const called = structure(attributes.get('ai.response.toolCalls'))
  const calls = Array.isArray(called) ? called.filter(isObject).map(callOf) : []
  const content = given(text) ?? given(object)
  if (content === undefined && calls.length === 0 && given(reasoning) === undefined)
    return undefined
  return {
    role: 'assistant',
    content: content ?? null,
    ...(given(reasoning) === undefined ? {} : { reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(given(reason) === undefined ? {} : { finish_reason: reason }),
  }
}

const given = (value: unknown): unknown => (value === '' || value === null ? undefined : value)

/** Returns the tools that the model was offered: a list of texts, each the JSON of one. */
export const toolsOfAiSdk = (attributes: Attributes): unknown[] | undefined => {
  const tools = structure(attributes.get('ai.prompt.tools'))
  return Array.isArray(tools) ? tools.map(structure) : undefined
}
