import { isObject } from '../is-object.js'
import { ExcerptLine } from './excerpt-line.js'
import { isMessage, writeMessage } from './message.js'
import { writeMembers, writeValue } from './value.js'

/** Messages from the end of a list that are looked at until one says something. */
const MAX_LAST = 3

/**
 * Returns what a recorded value says, as one short line of plain text: the last of several messages, the calls of tools of
 * an answer with their arguments, else the members of a value. Costs what the line takes, however large the value is.
 */
export const excerptOf = (value: unknown): string => {
  const line = new ExcerptLine()
  write(line, value)
  return line.toString()
}

const write = (line: ExcerptLine, value: unknown): void => {
  if (value === null || value === undefined) return
  if (Array.isArray(value) && isMessage(value.at(-1))) {
    for (let back = 1; back <= Math.min(MAX_LAST, value.length) && line.isEmpty; back++)
      writeMessage(line, value.at(-back))
    return
  }
  const message = messageIn(value)
  if (message !== undefined) writeMessage(line, message)
  else if (isObject(value) && Array.isArray(value.messages)) write(line, value.messages)
  else if (typeof value === 'object') writeMembers(line, value)
  else writeValue(line, value)
}

/** Returns the message that a value is, or that an answer of a provider has as its first. */
const messageIn = (value: unknown): unknown => {
  if (!isObject(value)) return undefined
  if ('content' in value || isMessage(value)) return value
  const { choices, candidates } = value as { choices?: unknown; candidates?: unknown }
  const [first] = [choices, candidates].filter(Array.isArray).flatMap(([one]) => one)
  if (!isObject(first)) return undefined
  return [first.message, first.content].find(isMessage)
}
