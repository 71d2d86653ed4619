import { isObject } from '../values.js'

/** A message in the form of generations: `role`, `content`, and what models and tools add. */
export type Message = Record<string, unknown>

/** A step that is a message or a call of a tool, with its contents. */
export interface RecordedStep {
  id: string
  type: string
  name: string | null
  input: unknown
  output: unknown
}

/** Returns true for a step that is a message of the conversation itself. */
export const isMessage = (type: string): boolean => Object.hasOwn(ROLES, type)

const ROLES: Readonly<Record<string, string>> = {
  user_message: 'user',
  assistant_message: 'assistant',
  system_message: 'system',
}

/** Returns a recorded message in the form of generations. */
export const toMessage = ({ type, input, output }: RecordedStep): Message => {
  const value = output ?? input
  const role = ROLES[type]
  if (!isObject(value) || !('content' in value)) return { role, content: textOf(value) }
  const { content, tool_calls: calls } = value
  return { role, content, ...(Array.isArray(calls) ? { tool_calls: calls } : {}) }
}

/** Returns the messages of tools that were called without a model that was recorded. */
export const toolMessages = (tools: readonly RecordedStep[]): Message[] =>
  tools.flatMap((tool) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: tool.id,
          type: 'function',
          function: { name: tool.name ?? 'tool', arguments: JSON.stringify(tool.input ?? {}) },
        },
      ],
    },
    answerOf(tool, tool.id),
  ])

/** Returns the messages that a model saw after the last one of the user: calls of tools, and their results. */
export const exchangeOf = (messages: unknown): Message[] => {
  const seen = Array.isArray(messages) ? messages.filter(isObject) : []
  const since = seen.slice(seen.findLastIndex(({ role }) => role === 'user') + 1)
  return since.some(({ role }) => role === 'tool')
    ? since.filter(({ role }) => role === 'assistant' || role === 'tool')
    : []
}

/** Returns an answer of a model that calls tools, with the results of those that were recorded after it. */
export const calledBy = (completion: unknown, tools: readonly RecordedStep[]): Message[] => {
  if (!isObject(completion) || !Array.isArray(completion.tool_calls)) return []
  const waiting = [...tools]
  const results = completion.tool_calls.flatMap((call: unknown) => {
    const { id, function: called } = isObject(call) ? call : {}
    const name = isObject(called) ? called.name : undefined
    const place = waiting.findIndex((tool) => tool.name === name)
    const [tool] = place < 0 ? [] : waiting.splice(place, 1)
    return tool === undefined ? [] : [answerOf(tool, id)]
  })
  return completion.tool_calls.length === 0 ? [] : [completion, ...results]
}

const answerOf = ({ name, output }: RecordedStep, callId: unknown): Message => ({
  role: 'tool',
  tool_call_id: callId,
  ...(name === null ? {} : { name }),
  content: textOf(isObject(output) && typeof output.content === 'string' ? output.content : output),
})

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value)
