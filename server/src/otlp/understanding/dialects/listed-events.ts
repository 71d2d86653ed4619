// Events of a call as JSON in one attribute of its span: Pydantic AI writes them up to version 1 of its format, Logfire
// for the Responses API of OpenAI.
import { isObject } from '../../../domain/values.js'
import type { Attributes } from '../../encoding/schema.js'
import { structure } from '../attributes.js'
import { answersOfEvents, askedOfEvents, type CallEvent } from '../events.js'
import type { Message } from '../messages.js'
import { contentOf } from './blocks.js'

const EVENTS = 'events'
/** Beginning of the members that describe an event, and belong to no message. */
const OF_EVENT = /^(?:event\.name|gen_ai\..*)$/

/** Returns the events of messages in an attribute; none when it holds anything else, as any application may name one so. */
export const listedEvents = (attributes: Attributes): CallEvent[] => {
  const list = structure(attributes.get(EVENTS))
  if (!Array.isArray(list)) return []
  return list.filter(isObject).flatMap((members) => {
    const name = members['event.name']
    if (typeof name !== 'string' || !name.startsWith('gen_ai.')) return []
    const own = Object.entries(members).filter(([member]) => !OF_EVENT.test(member))
    return [{ name, attributes: new Map(), body: Object.fromEntries(own) }]
  })
}

/** Returns what a model was asked, by events that end with its answer. */
export const askedOfList = (events: readonly CallEvent[]): Message[] =>
  askedOfEvents(events.slice(0, answerAt(events))).map(toMessage)

/** Returns the answer that a list of events ends with. */
export const answerOfList = (events: readonly CallEvent[]): Message | undefined => {
  const [choice] = answersOfEvents(events)
  if (choice !== undefined) return toMessage(choice)
  const parts = askedOfEvents(events.slice(answerAt(events))).map(toMessage)
  return parts.length === 0 ? undefined : joined(parts)
}

const CHOICE = 'gen_ai.choice'
const ASSISTANT = 'gen_ai.assistant.message'
const UNKNOWN = 'gen_ai.unknown'

/** Returns the place of the first event of the answer. Without a choice, that is what the assistant said last. */
const answerAt = (events: readonly CallEvent[]): number => {
  if (events.some(({ name }) => name === CHOICE)) return events.length
  let at = events.length
  while (at > 0 && [ASSISTANT, UNKNOWN].includes(events[at - 1]?.name ?? '')) at--
  return at
}

/** Joins the messages that an answer is divided into: one for each of its parts and calls. */
const joined = (parts: readonly Message[]): Message => {
  const calls = parts.flatMap(({ tool_calls: called }) => (Array.isArray(called) ? called : []))
  const contents = parts.flatMap(({ content }) =>
    typeof content === 'string' && content !== '' ? [content] : [],
  )
  return {
    role: 'assistant',
    content: contents.length === 0 ? null : contents.join('\n'),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

/** Converts the parts of a content: texts, and objects by their kind. Thoughts become the reasoning of the message. */
const toMessage = (message: Message): Message => {
  const { content, ...rest } = message
  if (!Array.isArray(content)) return message
  const isThought = (part: unknown) => isObject(part) && part.kind === 'thinking'
  const thoughts = content.flatMap((part) =>
    isThought(part) && typeof part.text === 'string' ? [part.text] : [],
  )
  const parts = content.filter((part) => !isThought(part)).map(toPart)
  return {
    ...rest,
    content: parts.length === 0 ? null : contentOf(parts),
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts.join('\n') }),
  }
}

const toPart = (part: unknown): Message => {
  if (!isObject(part)) return { type: 'text', text: String(part) }
  const { kind, text, url, media_type: type, binary_content: data } = part
  if (kind === 'text' && typeof text === 'string') return { type: 'text', text }
  if (kind === 'image-url' && typeof url === 'string')
    return { type: 'image_url', image_url: { url } }
  return kind === 'binary' && typeof data === 'string' && String(type).startsWith('image/')
    ? { type: 'image_url', image_url: { url: `data:${type};base64,${data}` } }
    : part
}
