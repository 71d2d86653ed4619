import { StepwellError, type StepwellErrorCode } from '../errors.js'

/** An error as data: classes don't survive the way between threads. */
export interface ErrorCopy {
  name: string
  message: string
  stack: string | undefined
  cause: ErrorCopy | undefined
  /** Those of a StepwellError. */
  details:
    | {
        code: StepwellErrorCode
        status: number | undefined
        requestId: string | undefined
        retryable: boolean
      }
    | undefined
}

export const copyError = (error: unknown): ErrorCopy => {
  if (!(error instanceof Error))
    return {
      name: 'Error',
      message: String(error),
      stack: undefined,
      cause: undefined,
      details: undefined,
    }
  const { name, message, stack, cause } = error
  return {
    name,
    message,
    stack,
    cause: cause === undefined ? undefined : copyError(cause),
    details: StepwellError.is(error)
      ? {
          code: error.code,
          status: error.status,
          requestId: error.requestId,
          retryable: error.retryable,
        }
      : undefined,
  }
}

/** The error again. Its stack says who called; what happened in the thread is of no use to them. */
export const reviveError = ({ name, message, stack, cause, details }: ErrorCopy): Error => {
  const inner = cause === undefined ? undefined : reviveError(cause)
  if (details !== undefined) return new StepwellError(message, { ...details, cause: inner })
  const error = name === 'TypeError' ? new TypeError(message) : new Error(message)
  if (stack !== undefined) error.stack = stack
  return inner === undefined ? error : Object.assign(error, { cause: inner })
}
