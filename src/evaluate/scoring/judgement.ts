import type { ReasonedScore } from './scorer.js'

/** Reads the answer of a judge. @throws Error when it is empty, no JSON, or chooses something else; without its text. */
export const judgement = (answer: unknown, choices: readonly string[]): ReasonedScore => {
  if (typeof answer !== 'string' || answer.trim() === '')
    throw new Error('the judge gave an empty answer')
  const found = lastObject(answer)
  if (found === undefined) throw new Error('the judge’s answer holds no JSON object')
  const { choice, reason } = found
  const said = typeof choice === 'string' || typeof choice === 'number' ? String(choice).trim() : ''
  const known = choices.find((one) => one === said) ?? onlyMatch(choices, said)
  if (known === undefined) throw new Error(`the judge chose none of ${choices.join(', ')}`)
  return { value: known, reason: typeof reason === 'string' ? reason : null }
}

/** Returns the choice that differs in case alone; undefined when several do. */
const onlyMatch = (choices: readonly string[], said: string): string | undefined => {
  const alike = choices.filter((one) => one.toLowerCase() === said.toLowerCase())
  return alike.length === 1 ? alike[0] : undefined
}

/** Returns the last JSON object of a text, as models like to think aloud before it, or to put it into a fence. */
const lastObject = (text: string): Record<string, unknown> | undefined => {
  const end = text.lastIndexOf('}')
  for (let start = text.lastIndexOf('{', end); start >= 0 && end > start; ) {
    const parsed = parse(text.slice(start, end + 1))
    if (parsed !== undefined) return parsed
    start = start === 0 ? -1 : text.lastIndexOf('{', start - 1)
  }
  return undefined
}

const parse = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'choice' in value
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
