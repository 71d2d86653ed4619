// Messages of a model call, in the three conventions in use: OpenTelemetry's own for generative AI
// (`gen_ai.input.messages`, parts inside), OpenInference (`llm.input_messages.0.message.role`, flat) and OpenLLMetry
// (`gen_ai.prompt.0.role`, flat too).
import { isObject } from '../../domain/values.js'
import type { Attributes } from '../encoding/schema.js'
import { elementsOf, structure } from './attributes.js'

export type Message = Record<string, unknown>

/** Returns the messages of an attribute in OpenTelemetry's form. */
export const fromParts = (value: unknown): Message[] => {
  const list = structure(value)
  return Array.isArray(list) ? list.flatMap((one) => (isObject(one) ? toMessages(one) : [])) : []
}

/** Converts one message; each answer of a tool becomes a message of its own, as in the API of a model. */
const toMessages = ({ role, parts, ...rest }: Message): Message[] => {
  if (!Array.isArray(parts)) return [{ role, ...rest }]
  const known = parts.filter(isObject)
  const calls = known.filter(({ type }) => type === 'tool_call')
  const answers = known.filter(({ type }) => type === 'tool_call_response')
  const others = known.filter(({ type }) => type !== 'tool_call' && type !== 'tool_call_response')
  const isText = others.every(({ type, content }) => type === 'text' && typeof content === 'string')
  const content = isText
    ? listed(others.map((part) => part.content).join('\n'))
    : others.map((part) => (part.type === 'text' ? { type: 'text', text: part.content } : part))
  const own: Message = {
    ...rest,
    role,
    content: others.length === 0 && calls.length > 0 ? null : content,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toCall) }),
  }
  const isOnlyAnswers = answers.length > 0 && others.length + calls.length === 0
  return [
    ...(isOnlyAnswers ? [] : [own]),
    ...answers.map(({ id, response, result }) => ({
      role: 'tool',
      tool_call_id: id,
      content: asText(response ?? result),
    })),
  ]
}

export const toCall = ({ id, name, arguments: given }: Message): Message => ({
  id,
  type: 'function',
  function: { name, arguments: asText(given) },
})

export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)

/**
 * Returns the messages of the flat forms: attributes whose names consist of a beginning, the number of the message and
 * a member.
 */
export const fromFlat = (attributes: Attributes, beginning: string): Message[] =>
  elementsOf(attributes, beginning, 'message').map(toFlatMessage)

const toFlatMessage = (members: ReadonlyMap<string, unknown>): Message => {
  const message: Message = { role: members.get('role') ?? 'user' }
  const calls = new Map<number, { id?: unknown; name?: unknown; arguments?: unknown }>()
  for (const [name, value] of members) {
    // Some write the members that a message might have.
    if (value === null) continue
    const call = /^tool_calls\.(\d+)\.(?:tool_call\.)?(?:function\.)?(id|name|arguments)$/.exec(
      name,
    )
    if (call !== null) {
      const place = Number(call[1])
      calls.set(place, { ...calls.get(place), [call[2] ?? '']: value })
    } else if (MEMBERS.has(name)) message[name] = value
  }
  const content = members.get('content')
  message.content = content === undefined ? contentsOf(members) : listed(content)
  const called = members.get('function_call_name')
  if (called !== undefined && calls.size === 0)
    calls.set(0, { name: called, arguments: members.get('function_call_arguments_json') })
  if (calls.size > 0)
    message.tool_calls = [...calls].sort(([a], [b]) => a - b).map(([, call]) => toCall(call))
  // The API of Anthropic has results of tools in messages of the user.
  return message.role === 'user' && message.tool_call_id !== undefined
    ? { ...message, role: 'tool' }
    : message
}

/** Reads the parts of a content that OpenLLMetry writes as JSON into a text; other texts stay as they are. */
const listed = (content: unknown): unknown => {
  const parts = structure(content)
  const isParts =
    Array.isArray(parts) &&
    parts.length > 0 &&
    parts.every((part) => isObject(part) && 'type' in part)
  return isParts ? parts : content
}

/** Returns the contents of OpenInference: a text if they are texts only, else parts. */
const contentsOf = (members: ReadonlyMap<string, unknown>): unknown => {
  const contents = elementsOf(members, 'contents', 'message_content').filter(
    // Calls of tools are among those of the message, too.
    (one) => one.get('type') !== 'tool_use',
  )
  if (contents.length === 0) return null
  const texts = contents.map((one) => one.get('text'))
  const isText = contents.every(
    (one) => (one.get('type') ?? 'text') === 'text' && typeof one.get('text') === 'string',
  )
  return isText ? texts.join('\n') : contents.map(toPart)
}

const toPart = (members: ReadonlyMap<string, unknown>): Message => {
  const url = members.get('image.image.url')
  if (url !== undefined) return { type: 'image_url', image_url: { url } }
  const given = [...members].filter(([, value]) => value !== null)
  return { type: members.get('type') ?? 'text', ...Object.fromEntries(given) }
}

/** Members of a flat message that a message has by the same name. */
const MEMBERS: ReadonlySet<string> = new Set(['tool_call_id', 'name', 'finish_reason'])
