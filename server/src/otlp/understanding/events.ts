// Messages that come as events, of a span or as log records beside it: one for each message by OpenTelemetry's
// conventions up to version 1.36, one for the whole call later, and one for prompt and answer each before.
import { isObject } from '../../domain/values.js'
import type { Attributes } from '../encoding/schema.js'
import { structure } from './attributes.js'
import { fromBlocks, fromConverse } from './dialects/blocks.js'
import { asText, type Message } from './messages.js'

/** An event of a call: of a span, or a log record, which may have a body. */
export interface CallEvent {
  name: string
  attributes: Attributes
  body?: unknown
}

const MESSAGE = /^gen_ai\.(system|user|assistant|tool)\.message$/
const CHOICE = 'gen_ai.choice'
const DETAILS = 'gen_ai.client.inference.operation.details'
const PROMPT = 'gen_ai.content.prompt'
const COMPLETION = 'gen_ai.content.completion'

/** Returns the messages that a model was asked, in the order of their events. */
export const askedOfEvents = (events: readonly CallEvent[]): Message[] =>
  events.flatMap((event) => {
    const role = MESSAGE.exec(event.name)?.[1]
    if (role !== undefined) return fromBlocks(toMessage(contentsOf(event), role))
    return event.name === PROMPT
      ? legacyMessages(event.attributes.get('gen_ai.prompt'), 'user')
      : []
  })

/** Returns the answers of a model, in the order of their indexes. */
export const answersOfEvents = (events: readonly CallEvent[]): Message[] => {
  const choices = events
    .filter(({ name }) => name === CHOICE)
    .map(contentsOf)
    .sort((a, b) => Number(a.index ?? 0) - Number(b.index ?? 0))
    .flatMap((members) => fromBlocks(toAnswer(members)).slice(-1))
  if (choices.length > 0) return choices
  return events.flatMap(({ name, attributes }) =>
    name === COMPLETION ? legacyMessages(attributes.get('gen_ai.completion'), 'assistant') : [],
  )
}

/** Returns the attributes of the event that has a whole call; some write several, each with a part of them. */
export const detailsOf = (events: readonly CallEvent[]): Attributes | undefined => {
  const details = events.filter(({ name }) => name === DETAILS)
  if (details.length === 0) return undefined
  return new Map(
    details.flatMap(({ attributes, body }) => [
      ...attributes,
      // Some exporters write the attributes into the body.
      ...(isObject(body) ? Object.entries(body) : []),
    ]),
  )
}

/** Moments at which a piece of a streamed answer came: the first by OpenInference, each by OpenLLMetry. */
const PIECE = /^(?:First Token Stream Event|(?:gen_ai|llm)\.content\.completion\.chunk)$/
const NANOSECONDS_OF_MS = 1e6

/** Returns the milliseconds to the first piece of an answer, if events between the two times tell it. */
export const msToFirstPiece = (
  events: readonly { name: string; timeUnixNano: bigint }[],
  start: bigint,
  end: bigint,
): number | undefined => {
  let first: bigint | undefined
  for (const { name, timeUnixNano: time } of events)
    if (time >= start && time <= (first ?? end) && PIECE.test(name)) first = time
  return first === undefined ? undefined : Number(first - start) / NANOSECONDS_OF_MS
}

/** Returns what a tool or an agent was given and gave, if events of its span say it. */
export const payloadsOfEvents = (
  events: readonly CallEvent[],
): { input: unknown; output: unknown } => {
  const asked = askedOfEvents(events)
  const [first] = asked
  const isOfTool = asked.length === 1 && first?.role === 'tool'
  return {
    input: isOfTool ? first.content : asked.length > 0 ? asked : undefined,
    output: answersOfEvents(events)[0]?.content ?? undefined,
  }
}

/** Returns true for events that carry messages. */
export const isCallEvent = ({ name }: Pick<CallEvent, 'name'>): boolean =>
  MESSAGE.test(name) || [CHOICE, DETAILS, PROMPT, COMPLETION].includes(name)

/** Returns the members of an event: in its body, in one attribute as JSON, or in attributes of their own. */
const contentsOf = ({ attributes, body }: CallEvent): Message => {
  const inBody = structure(body)
  if (isObject(inBody)) return inBody
  const inAttribute = structure(attributes.get('gen_ai.event.content'))
  if (isObject(inAttribute)) return inAttribute
  const members = Object.fromEntries(attributes)
  return inBody === undefined || inBody === null ? members : { content: inBody, ...members }
}

const toMessage = (members: Message, role: string): Message => {
  const { content, role: own, tool_calls: calls, name } = members
  const id = members.id ?? members.tool_call_id
  return {
    role: typeof own === 'string' && own !== '' ? own : role,
    content: fromConverse(structure(content)) ?? null,
    ...(role === 'tool' && id !== undefined ? { tool_call_id: id } : {}),
    ...(typeof name === 'string' ? { name } : {}),
    ...callsOf(calls),
  }
}

const toAnswer = (members: Message): Message => {
  const inner = structure(members.message)
  const message = isObject(inner) ? inner : { content: inner ?? members.content }
  const { finish_reason: reason } = members
  return {
    ...toMessage({ ...message, role: undefined }, 'assistant'),
    // Azure has them beside the message.
    ...callsOf(message.tool_calls ?? members.tool_calls),
    ...(reason === undefined ? {} : { finish_reason: reason }),
  }
}

const callsOf = (value: unknown): Message => {
  const calls = structure(value)
  return Array.isArray(calls) && calls.length > 0
    ? { tool_calls: calls.filter(isObject).map(asCall) }
    : {}
}

/** Completes the call of a tool in the form of OpenAI, whose arguments are a text. */
const asCall = (call: Message): Message => {
  const called = isObject(call.function) ? call.function : call
  return {
    ...(call.id === undefined ? {} : { id: call.id }),
    type: 'function',
    function: { name: called.name, arguments: asText(called.arguments) },
  }
}

const MESSAGE_MEMBERS = ['role', 'content', 'parts', 'tool_calls']

/** Returns the messages of an attribute that holds them as JSON, or a text as the only one. */
export const legacyMessages = (value: unknown, role: string): Message[] => {
  const read = structure(value)
  if (Array.isArray(read)) return read.filter(isObject).map((one) => ({ role, ...one }))
  if (isObject(read))
    return MESSAGE_MEMBERS.some((name) => name in read)
      ? [{ role, ...read }]
      : // An answer may be any JSON.
        [{ role, content: asText(value) }]
  return typeof read === 'string' && read !== '' ? [{ role, content: read }] : []
}
