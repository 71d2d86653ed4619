import type { ErrorCode } from '../../generated/resolvers.js'

/**
 * A refusal that the caller can act on. Its message names the field and what was expected of it, and reaches the
 * caller as it is; every other error is masked.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Shows a caller its own value in a message, cut short. */
export const show = (value: unknown): string => {
  const text =
    typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

export const invalid = (message: string) => new DomainError('INVALID_ARGUMENT', message)
export const notFound = (noun: string, id: string) =>
  new DomainError('NOT_FOUND', `no ${noun} has the id ${show(id)}`)
