import { isJson, type Json, objectsOf, textOf } from '../json.js'
import type { Message } from './api.js'
import { Gathered } from './blocks.js'
import { withKnownRole } from './openai-chat.js'

/** Converts the items of a response's input to messages. */
export const messagesOf = (input: unknown, instructions: unknown): Message[] => {
  const messages: Message[] = []
  if (typeof instructions === 'string') messages.push({ role: 'system', content: instructions })
  if (typeof input === 'string') messages.push({ role: 'user', content: input })
  for (const item of objectsOf(input)) {
    const { role, content } = item
    if (typeof role === 'string' && typeof content === 'string')
      messages.push(withKnownRole({ role, content }))
    else if (typeof role === 'string') messages.push(withKnownRole(gathered([item]).message(role)))
    else if (/_call_output$/.test(String(item.type)))
      // Of a function, a shell, a patch, or a computer, whose picture is an object.
      messages.push({
        role: 'tool',
        tool_call_id: item.call_id ?? item.id,
        content: isJson(item.output) ? [item.output] : item.output,
      })
    else messages.push(gathered([item]).message('assistant'))
  }
  return messages
}

/** Converts the items of a response's output to one message; undefined when there are none. */
export const messageOf = (items: readonly Json[]): Message | undefined => {
  const found = gathered(items)
  return found.isEmpty ? undefined : found.message('assistant')
}

const gathered = (items: readonly Json[]): Gathered => {
  const found = new Gathered()
  for (const item of items) {
    const { type, content } = item
    if (type === 'function_call') found.call(item.call_id, item.name, item.arguments)
    else if (type === 'custom_tool_call') found.call(item.call_id, item.name, item.input)
    else if (type === 'message' || typeof item.role === 'string') {
      if (typeof content === 'string') found.text(content)
      for (const part of objectsOf(content)) addPart(found, part)
    } else if (type === 'reasoning') found.part(reasoningOf(item))
    else found.part(item)
  }
  return found
}

const addPart = (found: Gathered, part: Json): void => {
  const { type, text, image_url: url, annotations } = part
  if (typeof text === 'string' && /^(input_|output_)?text$/.test(String(type)))
    found.text(text, Array.isArray(annotations) && annotations.length > 0 ? { annotations } : {})
  else if (typeof url === 'string') found.image(url)
  else found.part(part)
}

/** A thought in the form of the other providers, and without its encrypted copy. */
const reasoningOf = (item: Json): Json => {
  const texts = [...objectsOf(item.content), ...objectsOf(item.summary)]
    .map((part) => textOf(part.text))
    .filter((text) => text !== undefined)
  return { type: 'thinking', thinking: texts.join('\n') }
}
