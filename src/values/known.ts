import type { StepType } from '../../generated/schema.js'
import type { Withheld } from './fit.js'

/** All types, by the compiler. */
const TYPES: Record<StepType, 1> = {
  assistant_message: 1,
  embedding: 1,
  llm: 1,
  rerank: 1,
  retrieval: 1,
  run: 1,
  system_message: 1,
  tool: 1,
  undefined: 1,
  user_message: 1,
}
export const STEP_TYPES: readonly string[] = Object.keys(TYPES)

/** Characters of a wrong text that are shown. */
const MAX_SHOWN = 100

/** Returns a value that the service knows, and notes any other, which would have all of its record rejected. */
export const fitKnown = (
  value: unknown,
  field: string,
  known: readonly string[],
  withheld: Withheld,
): string | undefined => {
  if (value === undefined || value === null) return undefined
  // An empty text is the service's default.
  if (value === '' || known.includes(value as string)) return value as string
  // Other values may throw when they are looked at.
  const got = typeof value === 'string' ? value.slice(0, MAX_SHOWN) : typeof value
  withheld[field] = `expected one of ${known.join(', ')}, got ${got}`
  return undefined
}
