import { StepwellError, type StepwellErrorCode } from '../errors.js'

/** An error as data: classes cannot be sent between threads. */
export interface ErrorCopy {
  name: string
  message: string
  stack: string | undefined
  cause: ErrorCopy | undefined
  /** Its other members, such as the `code` of a system error. */
  own: Record<string, string | number | boolean>
  /** The members of a StepwellError. */
  details:
    | {
        code: StepwellErrorCode
        status: number | undefined
        requestId: string | undefined
        retryable: boolean
        retryAfterMs: number | undefined
      }
    | undefined
}

/** Maximum depth of causes. */
const MAX_DEPTH = 5

export const copyError = (error: unknown, depth = 0): ErrorCopy => {
  if (!(error instanceof Error))
    return {
      name: 'Error',
      message: String(error),
      stack: undefined,
      cause: undefined,
      own: {},
      details: undefined,
    }
  const { name, message, stack, cause } = error
  return {
    name,
    message,
    stack,
    cause: cause === undefined || depth >= MAX_DEPTH ? undefined : copyError(cause, depth + 1),
    own: Object.fromEntries(
      Object.entries(error).filter(([, value]) =>
        ['string', 'number', 'boolean'].includes(typeof value),
      ),
    ),
    details: StepwellError.is(error)
      ? {
          code: error.code,
          status: error.status,
          requestId: error.requestId,
          retryable: error.retryable,
          retryAfterMs: error.retryAfterMs,
        }
      : undefined,
  }
}

/** Restores the error. Its stack is the caller's; the stack in the thread would not help. */
export const reviveError = ({ name, message, stack, cause, own, details }: ErrorCopy): Error => {
  const inner = cause === undefined ? undefined : reviveError(cause)
  if (details !== undefined) return new StepwellError(message, { ...details, cause: inner })
  const error = name === 'TypeError' ? new TypeError(message) : new Error(message)
  Object.assign(error, own, inner === undefined ? {} : { cause: inner })
  if (error.name !== name) Object.defineProperty(error, 'name', { value: name, configurable: true })
  if (stack !== undefined) error.stack = stack
  return error
}
