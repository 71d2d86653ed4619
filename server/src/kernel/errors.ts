import type { ErrorCode } from '../../generated/resolvers.js'

/**
 * A refusal that the caller can act on. Its message names the field and what was expected of it, and reaches the caller
 * unchanged; every other error is masked.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** Why one item of a batch was refused. */
export interface Refusal {
  code: ErrorCode
  message: string
}

/** Shows a caller its own value in a message, shortened. */
export const show = (value: unknown): string => {
  if (typeof value === 'string') return shorten(JSON.stringify(value.slice(0, 100)), 80)
  try {
    return shorten(JSON.stringify(value) ?? String(value), 80)
  } catch {
    return `a value of type ${typeof value}`
  }
}

/** Shortens a text for a message, as callers may send anything. */
export const shorten = (text: string, most = 2000): string =>
  text.length > most ? `${text.slice(0, most - 3)}...` : text

export const invalid = (message: string) => new DomainError('INVALID_ARGUMENT', message)
export const conflict = (message: string, cause?: unknown) =>
  new DomainError('CONFLICT', message, cause)
export const notFound = (noun: string, id: string) =>
  new DomainError('NOT_FOUND', `no ${noun} has the id ${show(id)}`)

/** Checks an argument that is a whole number within bounds. */
export const within = (field: string, value: number, least: number, most: number): number => {
  if (value >= least && value <= most) return value
  throw invalid(`${field}: expected a whole number from ${least} to ${most}, got ${value}`)
}
