// The way back from messages to attributes: what comes out of it as it went in is held by the messages in whole.
import { structure } from './attributes.js'
import type { Message } from './messages.js'

/** A convention with an attribute for each member of a message. */
export interface FlatForm {
  /** The beginning of the names, without the last dot. */
  readonly beginning: string
  /** Names of a member of a message, and of a member of its call of a tool. */
  readonly member: (name: string) => string
  readonly ofCall: (name: 'id' | 'name' | 'arguments') => string
}

const openInference = (beginning: string): FlatForm => ({
  beginning,
  member: (name) => `message.${name}`,
  ofCall: (name) => (name === 'id' ? 'tool_call.id' : `tool_call.function.${name}`),
})
const openLlmetry = (beginning: string): FlatForm => ({
  beginning,
  member: (name) => name,
  ofCall: (name) => name,
})

/** The flat conventions of what a model is asked and answers. */
export const FLAT = {
  asked: [openInference('llm.input_messages'), openLlmetry('gen_ai.prompt')],
  answered: [openInference('llm.output_messages'), openLlmetry('gen_ai.completion')],
} as const

interface Call {
  id?: unknown
  function: { name?: unknown; arguments: string }
}

/** Writes a message with flat attributes. */
export const toFlat = (messages: readonly Message[], form: FlatForm): Map<string, unknown> => {
  const attributes = new Map<string, unknown>()
  for (const [index, { tool_calls: calls, content, ...members }] of messages.entries()) {
    const put = (name: string, value: unknown) => {
      if (value !== undefined)
        attributes.set(`${form.beginning}.${index}.${form.member(name)}`, value)
    }
    put('content', content === null ? undefined : content)
    for (const name in members) put(name, members[name])
    for (const [place, { id, function: called }] of ((calls ?? []) as Call[]).entries()) {
      put(`tool_calls.${place}.${form.ofCall('id')}`, id)
      put(`tool_calls.${place}.${form.ofCall('name')}`, called.name)
      put(`tool_calls.${place}.${form.ofCall('arguments')}`, called.arguments)
    }
  }
  return attributes
}

/** Writes a message with parts, as OpenTelemetry has it. */
export const toParts = (message: Message): Message => {
  const { role, content, tool_calls: calls, ...rest } = message
  if (role === 'tool' && 'tool_call_id' in rest) {
    const { tool_call_id: id, ...others } = rest
    const response = structure(content)
    return { role, ...others, parts: [{ type: 'tool_call_response', ...given(id), response }] }
  }
  return { ...rest, role, parts: [...partsOf(content), ...((calls ?? []) as Call[]).map(toCall)] }
}

const given = (id: unknown) => (id === undefined ? {} : { id })

const partsOf = (content: unknown): Message[] => {
  if (typeof content === 'string') return [{ type: 'text', content }]
  if (!Array.isArray(content)) return []
  return content.map((part: Message) =>
    part.type === 'text' ? { type: 'text', content: part.text } : part,
  )
}

const toCall = ({ id, function: { name, arguments: written } }: Call): Message => ({
  type: 'tool_call',
  ...given(id),
  name,
  arguments: structure(written),
})
