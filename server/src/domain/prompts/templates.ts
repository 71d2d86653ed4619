import { randomUUID } from 'node:crypto'
import Mustache from 'mustache'
import { invalid, show } from '../../kernel/errors.js'
import { isObject } from '../values.js'
import { slowTagIn, templateProblem } from './template-problem.js'

export type TemplateMessage = Record<string, unknown>

export interface TemplateVariable {
  name: string
  language: 'json' | 'plaintext'
}

/**
 * Parses the messages of a prompt, and adds a `uuid` to those without one: clients recognize a formatted message by it.
 */
export const parseTemplate = (field: string, messages: unknown): TemplateMessage[] => {
  if (messages === null || messages === undefined) return []
  if (!Array.isArray(messages))
    throw invalid(`${field}: expected a list of messages, got ${show(messages)}`)
  return messages.map((message: unknown, index) => {
    if (!isObject(message))
      throw invalid(`${field}[${index}]: expected a message, got ${show(message)}`)
    return message.uuid ? message : { ...message, uuid: randomUUID() }
  })
}

/** Parses the variables that a caller lists instead of having them read from the template. */
export const parseVariables = (variables: readonly unknown[]): TemplateVariable[] =>
  variables.map((variable, index) => {
    if (!isObject(variable) || typeof variable.name !== 'string')
      throw invalid(`variables[${index}]: expected { name, language }, got ${show(variable)}`)
    const { name, language = 'plaintext' } = variable
    if (language !== 'json' && language !== 'plaintext')
      throw invalid(
        `variables[${index}].language: expected json or plaintext, got ${show(language)}`,
      )
    return { name, language }
  })

/** Returns the variables that a prompt's texts name, in the order of their first appearance. */
export const variablesOf = (messages: readonly TemplateMessage[]): TemplateVariable[] => {
  const found = new Map<string, TemplateVariable['language']>()
  for (const message of messages)
    for (const text of textsOf(message.content)) collect(parse(text) ?? [], found)
  return [...found].map(([name, language]) => ({ name, language }))
}

/** Refuses messages with a text that Mustache can't read: released clients throw when they format it. */
export const refuseBroken = (field: string, messages: readonly TemplateMessage[]): void => {
  for (const [index, { content }] of messages.entries())
    for (const [place, text] of placedTexts(content)) {
      if (parse(text) !== undefined) continue
      const problem = templateProblem(text) ?? 'expected a Mustache template'
      throw invalid(`${field}[${index}].content${place}: ${problem}`)
    }
}

const textsOf = (content: unknown): string[] => placedTexts(content).map(([, text]) => text)

/** The texts of a message that are templates, each with its place in the content. */
const placedTexts = (content: unknown): [place: string, text: string][] => {
  if (typeof content === 'string') return [['', content]]
  if (!Array.isArray(content)) return []
  return content.flatMap((part: unknown, index): [string, string][] =>
    isObject(part) && part.type === 'text' && typeof part.text === 'string'
      ? [[`[${index}].text`, part.text]]
      : [],
  )
}

/** A token of Mustache.parse: kind, name, start, end, and the tokens inside a section. */
type Token = [kind: string, name: string, start: number, end: number, inside?: Token[] | string]

/** Has no cache: Mustache's own would keep every text it ever saw. */
const writer = new Mustache.Writer()
Object.assign(writer, { templateCache: undefined })

/**
 * Undefined for a text that Mustache refuses, or would read for seconds; versions stored before such texts were refused still
 * have them.
 */
const parse = (text: string): Token[] | undefined => {
  if (slowTagIn(text) !== null) return undefined
  try {
    return writer.parse(text) as Token[]
  } catch {
    return undefined
  }
}

const collect = (
  tokens: readonly Token[],
  found: Map<string, TemplateVariable['language']>,
): void => {
  const left = [...tokens].reverse()
  for (let token = left.pop(); token !== undefined; token = left.pop()) {
    const [kind, path, , , inside] = token
    const isSection = kind === '#' || kind === '^'
    if (path !== '.' && (isSection || kind === 'name' || kind === '&')) {
      const [name = path, ...rest] = path.split('.')
      // A variable that is printed in one place and used as a section in another needs more than a text.
      if (isSection || rest.length > 0) found.set(name, 'json')
      else if (!found.has(name)) found.set(name, 'plaintext')
    }
    // A partial has its indentation in this place.
    if (Array.isArray(inside)) left.push(...inside.toReversed())
  }
}

interface Comparable {
  templateMessages: unknown
  settings: unknown
  tools: unknown
}

/** Returns true when a given prompt equals the stored version. The provider is compared only when one is given. */
export const samePrompt = (stored: Comparable, given: Comparable): boolean => {
  const [settings, others] = [stored, given].map((one) =>
    isObject(one.settings) ? one.settings : {},
  ) as [Record<string, unknown>, Record<string, unknown>]
  const provider = others.provider ?? undefined
  return (
    (provider === undefined || provider === settings.provider) &&
    sameMembers(settings, others, (name) => name !== 'provider') &&
    sameValue(toolsOf(stored), toolsOf(given)) &&
    sameMessages(stored.templateMessages, given.templateMessages)
  )
}

const toolsOf = ({ tools }: Comparable) => (Array.isArray(tools) && tools.length > 0 ? tools : null)

/** Ignores the members of messages that clients add when they format them. */
const sameMessages = (one: unknown, other: unknown): boolean => {
  const [messages, others] = [one, other].map((list) => (Array.isArray(list) ? list : [])) as [
    unknown[],
    unknown[],
  ]
  return (
    messages.length === others.length &&
    messages.every((message, at) => {
      const its = others[at]
      return isObject(message) && isObject(its)
        ? sameMembers(
            message,
            its,
            (name, value) => name !== 'uuid' && name !== 'templated' && value !== null,
          )
        : sameValue(message, its)
    })
  )
}

/** Compares JSON regardless of the order of members. Stops at the first difference, as most versions differ early. */
const sameValue = (one: unknown, other: unknown): boolean => {
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, at) => sameValue(item, other[at]))
    )
  return isObject(one) && isObject(other) ? sameMembers(one, other) : one === other
}

const sameMembers = (
  one: Record<string, unknown>,
  other: Record<string, unknown>,
  counts: (name: string, value: unknown) => boolean = () => true,
): boolean => {
  let left = 0
  for (const name in other) if (counts(name, other[name])) left++
  for (const name in one) {
    if (!counts(name, one[name])) continue
    if (!Object.hasOwn(other, name) || !counts(name, other[name])) return false
    if (!sameValue(one[name], other[name])) return false
    left--
  }
  return left === 0
}
