import { isObject } from '../../domain/values.js'
import type { PythonClient } from '../../kernel/caller.js'

const ROLES = new Set<unknown>(['system', 'assistant', 'user', 'function', 'tool'])
/** Names that others have for the roles that the client knows. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  developer: 'system',
  human: 'user',
  ai: 'assistant',
  model: 'assistant',
}

/** Returns the messages of a model call as a client can read them: a value that it does not know comes as text. */
export const readableMessages = (messages: unknown, client: PythonClient): unknown =>
  Array.isArray(messages)
    ? messages.map((message) => readableMessage(message, client, 'user'))
    : messages

/** Returns the answer of a model call as a client can read it. */
export const readableAnswer = (message: unknown, client: PythonClient): unknown =>
  message == null ? message : readableMessage(message, client, 'assistant')

/** Returns the tools of a model call as a client can read them: a list of objects. */
export const readableTools = (tools: unknown): unknown =>
  Array.isArray(tools) ? tools.map(objectOf) : tools

const readableMessage = (message: unknown, client: PythonClient, role: string): object => {
  if (!isObject(message)) return { role, content: textOf(message) }
  const read: Record<string, unknown> = { ...message }
  const change = (key: string, to: (value: unknown) => unknown) => {
    if (read[key] !== undefined && read[key] !== null) read[key] = to(read[key])
  }
  change('role', (name) => (ROLES.has(name) ? name : (otherName(name) ?? role)))
  change('content', (content) =>
    Array.isArray(content)
      ? content.map((part) => readablePart(part, client))
      : isObject(content)
        ? [readablePart(content, client)]
        : textOf(content),
  )
  for (const key of ['uuid', 'name', 'tool_call_id']) change(key, textOf)
  change('templated', (value) => value === true)
  change('function_call', objectOf)
  change('tool_calls', (calls) => (Array.isArray(calls) ? calls : [calls]).map(objectOf))
  return read
}

const readablePart = (part: unknown, client: PythonClient): object => {
  if (isObject(part) && part.type === 'text' && typeof part.text === 'string') return part
  if (isObject(part) && part.type === 'image_url') {
    const { image_url: image } = part
    const url = isObject(image) ? image.url : image
    if (typeof url === 'string') {
      if (client.readsImagesAsText) return { ...part, image_url: url }
      return isObject(image) ? part : { ...part, image_url: { url } }
    }
  }
  return { type: 'text', text: textOf(part) }
}

const otherName = (role: unknown): string | undefined =>
  typeof role === 'string' && Object.hasOwn(OTHER_NAMES, role) ? OTHER_NAMES[role] : undefined

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

const objectOf = (value: unknown): object => (isObject(value) ? value : { value })
