import { isObject } from '../domain/values.js'
import type { Command } from '../operator/commands.js'

/** Reads an operator's command from a request's body. Members that are not text count as absent. */
export const readCommand = ({ noun, verb, subject, options }: Record<string, unknown>): Command => {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const given = isObject(options) ? options : {}
  return {
    noun: text(noun) ?? '',
    verb: text(verb) ?? '',
    subject: text(subject),
    options: Object.fromEntries(
      Object.entries(given).filter(([, value]) => typeof value === 'string'),
    ),
  }
}
