import type { Step } from '../../api/steps.js'
import { fromPayload } from '../data/payload.js'
import type { JudgedMaterial } from './options.js'

/** A message in the form of model calls: `role`, `content`, and what models and tools add. */
type Message = Record<string, unknown>

const ROLES: Readonly<Record<string, string>> = {
  user_message: 'user',
  assistant_message: 'assistant',
  system_message: 'system',
}

/**
 * Returns a conversation: `{ messages }` before the last answer as the input, and that answer as the output. Takes the steps
 * that are messages, with the calls of tools between them; the last call of a model for an answer that is not recorded, and
 * for the whole of a conversation without recorded messages.
 *
 * @throws Error when there are neither messages nor calls of models.
 */
export const conversationOf = (steps: readonly Step[]): JudgedMaterial => {
  const lastMessage = steps.findLastIndex(({ type }) => isMessage(type))
  const lastCall = steps.findLastIndex(({ generation }) => generation != null)
  if (lastMessage < 0) {
    if (lastCall < 0)
      throw new Error(
        'read: expected one for a thread without steps that are messages or calls of models',
      )
    return asSeen(steps[lastCall] as Step)
  }
  const last = steps[lastMessage] as Step
  if (last.type === 'assistant_message')
    return { input: { messages: messagesOf(steps.slice(0, lastMessage)) }, output: toMessage(last) }
  const isAnswered = last.type === 'user_message' && lastCall > lastMessage
  return {
    input: { messages: messagesOf(steps) },
    output: isAnswered ? asSeen(steps[lastCall] as Step).output : undefined,
  }
}

const messagesOf = (steps: readonly Step[]): Message[] => {
  const tools = outermostTools(steps)
  return steps.flatMap((step) => {
    if (isMessage(step.type)) return [toMessage(step)]
    return tools.has(step) ? callOf(step) : []
  })
}

const isMessage = (type: string): boolean => Object.hasOwn(ROLES, type)

/** Returns the conversation that a model saw, and its answer. */
const asSeen = ({ generation }: Step): JudgedMaterial => {
  const { messages, prompt, messageCompletion, completion } = (generation ?? {}) as Message
  return {
    input: {
      messages: Array.isArray(messages) ? messages : [{ role: 'user', content: prompt ?? '' }],
    },
    output:
      messageCompletion ??
      (completion == null ? undefined : { role: 'assistant', content: completion }),
  }
}

const toMessage = ({ type, input, output }: Step): Message => {
  const role = ROLES[type]
  const value = output ?? input
  if (!isObject(value) || !('content' in value)) return { role, content: textOf(value) }
  const { content, tool_calls: calls } = value
  return { role, content, ...(Array.isArray(calls) ? { tool_calls: calls } : {}) }
}

const callOf = ({ id, name, input, output }: Step): Message[] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      {
        id,
        type: 'function',
        function: { name: name ?? 'tool', arguments: JSON.stringify(input ?? {}) },
      },
    ],
  },
  {
    role: 'tool',
    tool_call_id: id,
    ...(name === null ? {} : { name }),
    content: textOf(fromPayload(output)),
  },
]

/** Leaves out tools that other tools called. */
const outermostTools = (steps: readonly Step[]): ReadonlySet<Step> => {
  const tools = steps.filter(({ type }) => type === 'tool')
  const ids = new Set(tools.map(({ id }) => id))
  return new Set(tools.filter(({ parentId }) => parentId === null || !ids.has(parentId)))
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
