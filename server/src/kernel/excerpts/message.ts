import { isObject } from '../is-object.js'
import type { ExcerptLine } from './excerpt-line.js'
import { writeMembers, writeValue } from './value.js'

/** Kinds of items that stand beside messages in lists of the Responses API. */
const ITEMS = new Set(['message', 'function_call', 'function_call_output', 'reasoning'])
/** Kinds of parts that the reader of a conversation does not see. */
const THOUGHTS = new Set(['thinking', 'redacted_thinking', 'reasoning', 'thought'])
/** Members that hold what a part says, whichever provider's form it has. */
const RESULTS = ['content', 'output', 'result', 'response'] as const
/** Longer arguments are shown as the model wrote them. */
const MAX_PARSED = 5000

/** Returns true for a message of a conversation, in the form of any provider. */
export const isMessage = (value: unknown): value is Record<string, unknown> =>
  isObject(value) &&
  (typeof value.role === 'string' || (typeof value.type === 'string' && ITEMS.has(value.type)))

/** Writes the text of a message, or the tools that it calls with their arguments, or their results. */
export const writeMessage = (line: ExcerptLine, message: unknown): void => {
  if (!isObject(message)) {
    if (message !== null && message !== undefined) writeValue(line, message)
    return
  }
  writeContent(line, message.content ?? message.parts ?? message.refusal)
  for (const call of [message.tool_calls, message.toolCalls].filter(Array.isArray).flat()) {
    if (line.isFull) return
    line.space()
    writeCall(line, call)
  }
  if (isObject(message.function_call)) writeCall(line, message.function_call)
  if (message.type === 'function_call') writeCall(line, message)
  else if (line.isEmpty && message.type === 'function_call_output')
    writeContent(line, message.output)
}

const writeContent = (line: ExcerptLine, content: unknown): void => {
  if (content === null || content === undefined) return
  if (Array.isArray(content))
    for (const part of content) {
      if (line.isFull) return
      line.space()
      writePart(line, part)
    }
  else if (typeof content === 'object') writeMembers(line, content)
  else writeValue(line, content)
}

const writePart = (line: ExcerptLine, part: unknown): void => {
  if (!isObject(part)) {
    writeContent(line, part)
    return
  }
  const type = typeof part.type === 'string' ? part.type : ''
  if (THOUGHTS.has(type) || part.thought === true) return
  const called = part.functionCall ?? (CALLS.has(type) ? part : undefined)
  const result = RESULTS.map((member) => part[member]).find((member) => member != null)
  if (called !== undefined) writeCall(line, called)
  else if (typeof part.text === 'string') line.add(part.text)
  else if (isObject(part.functionResponse)) writeContent(line, part.functionResponse.response)
  else if (result !== undefined) writeContent(line, result)
  else if (type !== '') line.add(`[${type.replace(/_url$/, '')}]`)
  else if (isObject(part.inlineData) || isObject(part.fileData)) line.add('[file]')
  else writeValue(line, part)
}

const CALLS = new Set(['tool_use', 'server_tool_use', 'tool-call', 'tool_call', 'function'])

/** Writes a call of a tool in any provider's form, as `name(arguments)`. */
const writeCall = (line: ExcerptLine, call: unknown): void => {
  if (!isObject(call)) return
  const made = isObject(call.function) ? call.function : call
  line.add(`${[made.name, made.toolName].find((name) => typeof name === 'string') ?? 'tool'}(`)
  const given = argumentsOf(made.arguments ?? made.args ?? made.input)
  if (typeof given === 'object' && given !== null) writeMembers(line, given)
  else if (given !== undefined && given !== null) writeValue(line, given)
  line.add(')')
}

const argumentsOf = (given: unknown): unknown => {
  if (typeof given !== 'string' || given.length > MAX_PARSED || !given.startsWith('{')) return given
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}
