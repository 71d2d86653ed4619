// Messages as LangChain writes its objects down: their class, and the arguments that make them again.
import { isObject } from '../../../domain/values.js'
import { type Message, toCall } from '../messages.js'

const ROLES: ReadonlyMap<unknown, string> = new Map([
  ['SystemMessage', 'system'],
  ['HumanMessage', 'user'],
  ['AIMessage', 'assistant'],
  ['AIMessageChunk', 'assistant'],
  ['ToolMessage', 'tool'],
  ['ChatMessage', 'user'],
])

const roleOf = ({ lc, id }: Message): string | undefined =>
  lc === 1 && Array.isArray(id) ? ROLES.get(id.at(-1)) : undefined

/** Returns true for a message of LangChain. */
export const isLangChain = (message: Message): boolean =>
  roleOf(message) !== undefined && isObject(message.kwargs)

/** Converts a message of LangChain. */
export const fromLangChain = (message: Message): Message => {
  const { kwargs } = message
  const members = isObject(kwargs) ? kwargs : {}
  const { content, name, tool_call_id: id, tool_calls: calls, role } = members
  const more = isObject(members.additional_kwargs) ? members.additional_kwargs : {}
  const called = Array.isArray(calls) ? calls.filter(isObject) : []
  return {
    role: typeof role === 'string' ? role : roleOf(message),
    content: content ?? null,
    ...(name === undefined ? {} : { name }),
    ...(id === undefined ? {} : { tool_call_id: id }),
    ...(typeof more.reasoning_content === 'string' ? { reasoning: more.reasoning_content } : {}),
    ...(called.length > 0
      ? { tool_calls: called.map((call) => toCall({ ...call, arguments: call.args })) }
      : Array.isArray(more.tool_calls)
        ? { tool_calls: more.tool_calls }
        : {}),
  }
}
