// Messages of a model call, in the three conventions in use: OpenTelemetry's own for generative AI
// (`gen_ai.input.messages`, parts inside), OpenInference (`llm.input_messages.0.message.role`, flat) and OpenLLMetry
// (`gen_ai.prompt.0.role`, flat too).
import { isObject } from '../domain/values.js'
import { structure } from './attributes.js'
import type { Attributes } from './schema.js'

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
    ? others.map((part) => part.content).join('\n')
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

const toCall = ({ id, name, arguments: given }: Message): Message => ({
  id,
  type: 'function',
  function: { name, arguments: asText(given) },
})

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)

/**
 * Returns the messages of the flat forms: attributes whose names consist of a prefix, the number of the message and a
 * member.
 */
export const fromFlat = (attributes: Attributes, prefix: string): Message[] => {
  const found = new Map<number, Map<string, unknown>>()
  for (const [name, value] of attributes) {
    if (!name.startsWith(prefix)) continue
    const match = /^(\d{1,5})\.(?:message\.)?(.+)$/.exec(name.slice(prefix.length))
    if (match === null) continue
    const place = Number(match[1])
    const members = found.get(place) ?? new Map<string, unknown>()
    found.set(place, members.set(match[2] ?? '', value))
  }
  return [...found].sort(([a], [b]) => a - b).map(([, members]) => toFlatMessage(members))
}

const toFlatMessage = (members: ReadonlyMap<string, unknown>): Message => {
  const message: Message = { role: members.get('role') ?? 'user' }
  const calls = new Map<number, { id?: unknown; name?: unknown; arguments?: unknown }>()
  const texts: unknown[] = []
  for (const [name, value] of members) {
    const call = /^tool_calls\.(\d+)\.(?:tool_call\.)?(?:function\.)?(id|name|arguments)$/.exec(
      name,
    )
    if (call !== null) {
      const place = Number(call[1])
      calls.set(place, { ...calls.get(place), [call[2] ?? '']: value })
    } else if (/^contents\.\d+\.message_content\.text$/.test(name)) texts.push(value)
    else if (MEMBERS.has(name)) message[name] = value
  }
  message.content = members.get('content') ?? (texts.length > 0 ? texts.join('\n') : null)
  if (calls.size > 0)
    message.tool_calls = [...calls].sort(([a], [b]) => a - b).map(([, call]) => toCall(call))
  return message
}

/** Members of a flat message that a message has by the same name. */
const MEMBERS: ReadonlySet<string> = new Set(['tool_call_id', 'name', 'finish_reason'])
