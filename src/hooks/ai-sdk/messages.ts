import { isJson, type Json, jsonText, objectsOf, textOf } from '../shared/json.js'

/** Returns messages of the AI SDK as generations hold them: a message for each result of a tool. */
export const toMessages = (messages: unknown): Json[] =>
  typeof messages === 'string'
    ? [{ role: 'user', content: messages }]
    : objectsOf(messages).flatMap(toMessage)

const toMessage = ({ role, content }: Json): Json[] => {
  if (!Array.isArray(content)) return [{ role, content }]
  const parts = objectsOf(content)
  const results = parts.filter(({ type }) => type === 'tool-result' || type === 'tool-error')
  const others = parts.filter((part) => !results.includes(part))
  const own = others.length === 0 && results.length > 0 ? [] : [{ role, ...fromParts(others) }]
  return [...own, ...results.map(toResult)]
}

/** Returns the content of parts, with the thoughts and the calls of tools beside it. */
const fromParts = (parts: readonly Json[]): Json => {
  const calls = parts.filter(({ type }) => type === 'tool-call').map(toCall)
  const thoughts = parts.filter(({ type }) => type === 'reasoning').map(({ text }) => text)
  const others = parts.filter(
    ({ type }) => !/^(tool-call|reasoning|tool-approval)/.test(String(type)),
  )
  return {
    content: contentOf(others),
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts.join('\n') }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

const contentOf = (parts: readonly Json[]): unknown => {
  if (parts.length === 0) return null
  const texts = parts.filter(({ type, text }) => type === 'text' && typeof text === 'string')
  return texts.length === parts.length ? texts.map(({ text }) => text).join('\n') : parts
}

const toCall = ({ toolCallId, toolName, input, args }: Json): Json => ({
  id: toolCallId,
  type: 'function',
  function: { name: toolName, arguments: jsonText(input ?? args ?? {}) },
})

const toResult = ({ toolCallId, toolName, output, result }: Json): Json => ({
  role: 'tool',
  tool_call_id: toolCallId,
  name: toolName,
  content: jsonText(isJson(output) && 'value' in output ? output.value : (output ?? result ?? '')),
})

/** Returns the message of an answer, by its texts and its calls; undefined for one without content. */
export const answerOf = (text: unknown, reasoning: unknown, calls: unknown): Json | undefined => {
  const made = objectsOf(calls).map(toCall)
  const content = textOf(text)
  const thought = textOf(reasoning)
  if (content === undefined && thought === undefined && made.length === 0) return undefined
  return {
    role: 'assistant',
    content: content ?? null,
    ...(thought === undefined ? {} : { reasoning: thought }),
    ...(made.length === 0 ? {} : { tool_calls: made }),
  }
}

/** Returns the message of an answer, by its parts. */
export const answerOfParts = (parts: unknown): Json | undefined => {
  const known = objectsOf(parts).filter(({ type }) => !/^tool-(result|error)/.test(String(type)))
  return known.length === 0 ? undefined : { role: 'assistant', ...fromParts(known) }
}

/** Returns a provider without the name of its API: `openai` of `openai.chat`. */
export const providerOf = (provider: unknown): string | undefined => textOf(provider)?.split('.')[0]
