import { invalidArgument, type StepwellError } from '../../errors.js'

/** Describes a value without its content, which may be a secret. */
const kindOf = (value: unknown): string => {
  if (value === '') return 'an empty string'
  if (value === null || value === undefined || typeof value === 'number') return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** @internal Makes the error for a wrong value, which names it and what was expected. */
export const wrong = (name: string, expected: string, value: unknown): StepwellError =>
  invalidArgument(`${name}: expected ${expected}, got ${kindOf(value)}`)

/** @internal */
export const refuse = (name: string, expected: string, value: unknown): never => {
  throw wrong(name, expected, value)
}
