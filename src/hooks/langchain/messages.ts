import { reasonOf } from '../../values/capture.js'
import { isJson, type Json, jsonText, objectsOf, textOf } from '../shared/json.js'

const ROLES: Readonly<Record<string, string>> = {
  human: 'user',
  ai: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'function',
}

/** Returns the type of a message of LangChain; undefined for any other value. */
const typeOf = (value: unknown): string | undefined => {
  if (!isJson(value)) return undefined
  const { getType, _getType: older } = value
  const read = typeof getType === 'function' ? getType : older
  return typeof read === 'function' && 'content' in value
    ? textOf(read.call(value) as unknown)
    : undefined
}

/** Reads a part of an application's value; one that throws must not cost the run its step. */
export const guarded = <Value>(read: () => Value): Value | string => {
  try {
    return read()
  } catch (error) {
    return `[unreadable: ${reasonOf(error)}]`
  }
}

/** Returns a message of LangChain as generations hold it. */
export const toMessage = (message: unknown): Json => {
  const converted = guarded(() => messageOf(message))
  return typeof converted === 'string' ? { role: 'user', content: converted } : converted
}

const messageOf = (message: unknown): Json => {
  const type = typeOf(message)
  if (type === undefined || !isJson(message)) return { role: 'user', content: message }
  const { content, name, tool_calls: calls, tool_call_id: callId, status } = message
  const kwargs = isJson(message.additional_kwargs) ? message.additional_kwargs : {}
  const role = ROLES[type] ?? textOf(message.role) ?? type
  const converted: Json = { role, content: contentOf(content) }
  if (textOf(name) !== undefined) converted.name = name
  const made = objectsOf(calls).map(toCall)
  if (made.length > 0) converted.tool_calls = made
  if (textOf(callId) !== undefined) converted.tool_call_id = callId
  if (status === 'error') converted.status = status
  if (textOf(kwargs.reasoning_content) !== undefined) converted.reasoning = kwargs.reasoning_content
  if (made.length > 0 && content === '') converted.content = null
  return converted
}

/** Tools stand beside the content; in some providers' messages they stand in it once more. */
const contentOf = (content: unknown): unknown =>
  Array.isArray(content)
    ? content.filter(
        (part) => !isJson(part) || !/^(tool_use|tool_call|function_call)$/.test(String(part.type)),
      )
    : content

const toCall = ({ id, name, args }: Json): Json => ({
  ...(textOf(id) === undefined ? {} : { id }),
  type: 'function',
  function: { name, arguments: jsonText(args ?? {}) },
})

/** Levels of lists and objects in which messages are looked for. */
const MAX_DEPTH = 4

/**
 * Returns a value with the messages in it as generations hold them, and documents by their text and metadata. Lists and
 * plain objects are copied, as the application may change them.
 */
export const readable = (value: unknown, depth = 0): unknown =>
  guarded(() => readableOf(value, depth))

const readableOf = (value: unknown, depth: number): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (typeOf(value) !== undefined) return toMessage(value)
  if (depth >= MAX_DEPTH) return value
  if (Array.isArray(value))
    return Array.from(value, (_, at) => guarded(() => readable(value[at], depth + 1)))
  if (typeof (value as Json).toChatMessages === 'function') return promptOf(value as Json)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return ofClass(value as Json)
  const copy: Json = {}
  for (const name of Object.keys(value))
    copy[name] = guarded(() => readable((value as Json)[name], depth + 1))
  return copy
}

/** Returns the messages of a prompt's value. */
const promptOf = (value: Json): unknown => {
  const messages: unknown = (value.toChatMessages as () => unknown).call(value)
  return { messages: Array.isArray(messages) ? messages.map(toMessage) : messages }
}

/** Returns the members of a document, or of a command of LangGraph, in place of their serialised form. */
const ofClass = (value: Json): unknown => {
  if (typeof value.pageContent === 'string') return documentOf(value)
  const { lg_name: kind, goto, update, resume, node, args } = value
  if (kind === 'Command') return { command: { goto, update: readable(update, 1), resume } }
  if (kind === 'Send') return { send: { node, args: readable(args, 1) } }
  return value
}

const documentOf = ({ id, pageContent, metadata }: Json): Json => ({
  ...(id === undefined ? {} : { id }),
  pageContent,
  metadata,
})
