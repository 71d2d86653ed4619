import { isObject } from '../is-object.js'
import { excerptOf } from './excerpt.js'

/**
 * Returns what a person said in the first of some messages of users that says something, as one short line; empty when they
 * have results of tools alone.
 */
export const saidByPeople = (messages: readonly unknown[]): string => {
  for (const message of messages) {
    const words = excerptOf(withoutResults(message))
    if (words !== '') return words
  }
  return ''
}

/** Removes the results of tools, which some providers put into messages of users. */
const withoutResults = (message: unknown): unknown => {
  if (!isObject(message)) return message
  const { content, parts } = message
  return {
    ...message,
    ...(Array.isArray(content) && { content: content.filter(isSaid) }),
    ...(Array.isArray(parts) && { parts: parts.filter(isSaid) }),
  }
}

const isSaid = (part: unknown): boolean =>
  !isObject(part) ||
  !(
    (typeof part.type === 'string' && /^tool[-_](use_)?result$/.test(part.type)) ||
    isObject(part.functionResponse)
  )
