import { readable, textOf } from '../../../values/readable.js'
import type { Message } from './contents.js'

/**
 * Returns the value that a message says: its output, else the completion of a model, else its input. An output without
 * words, as of a model that only calls tools, leaves it to the completion, which has the calls.
 */
export const saidIn = ({
  output,
  input,
  generation,
}: Pick<Message, 'output' | 'input' | 'generation'>): unknown =>
  (isWordless(output) ? (generation?.messageCompletion ?? generation?.completion) : undefined) ??
  output ??
  generation?.messageCompletion ??
  generation?.completion ??
  (generation === null ? input : null)

/** Returns true for a message of a chat API whose content is empty, and that has nothing else. */
const isWordless = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !(value as { content?: unknown }).content &&
  Object.keys(value).every((key) => key === 'content' || key === 'role')

/** Returns the words of a value; undefined for one that has none. */
export const wordsIn = (value: unknown): string | undefined => {
  if (value == null) return undefined
  const text = textOf(value) ?? (value as { content?: unknown }).content
  if (typeof text === 'string') return text
  return text == null && callsOf(value).length > 0 ? undefined : readable(value)
}

/** Returns the words of a message, empty without any. */
export const saidBy = (message: Message): string => wordsIn(saidIn(message)) ?? ''

/** Returns the names of the tools that a message calls, in the form of chat APIs; none for any other value. */
export const callsOf = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const { tool_calls: calls } = value as { tool_calls?: unknown }
  if (!Array.isArray(calls)) return []
  return calls.map((call: unknown) => {
    const { function: made, name } = (call ?? {}) as { function?: unknown; name?: unknown }
    const said = (made as { name?: unknown } | null | undefined)?.name ?? name
    return typeof said === 'string' ? said : 'a tool'
  })
}
