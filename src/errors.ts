import type { ErrorCode } from '../generated/schema.js'

/** The service's codes, and two of the client's own. */
export type StepwellErrorCode = ErrorCode | 'NETWORK' | 'TIMEOUT'

export interface StepwellErrorDetails {
  code: StepwellErrorCode
  status?: number | undefined
  requestId?: string | undefined
  retryable?: boolean | undefined
  retryAfterMs?: number | undefined
  cause?: unknown
}

const RETRYABLE: readonly StepwellErrorCode[] = [
  'NETWORK',
  'TIMEOUT',
  'RATE_LIMITED',
  'UNAVAILABLE',
]

/**
 * The one error that this SDK throws on purpose. Its message names the wrong value, and the expected one when it is known.
 *
 * @example
 * import { StepwellError } from 'stepwell'
 * try {
 *   await stepwell.api.createDataset({ name: 'refunds' })
 * } catch (error) {
 *   if (!(StepwellError.is(error) && error.code === 'CONFLICT')) throw error
 * }
 */
export class StepwellError extends Error {
  /** `StepwellError`, in every installed copy. */
  override readonly name = 'StepwellError'
  /** The code to switch on. `NETWORK`: no usable answer came; `TIMEOUT`: none came in time. */
  readonly code: StepwellErrorCode
  /** The HTTP status of the answer; `undefined` when there was none. */
  readonly status: number | undefined
  /** The id under which the service's log knows the request; `undefined` when the service named none. */
  readonly requestId: string | undefined
  /** True when the same call may succeed later, unchanged. */
  readonly retryable: boolean
  /** The time to wait before another attempt, in milliseconds, 300,000 at most; `undefined` when the answer named none. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    { code, status, requestId, retryable, retryAfterMs, cause }: StepwellErrorDetails,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
    this.retryable =
      retryable ?? (RETRYABLE.includes(code) || (status !== undefined && status >= 500))
  }

  /**
   * Tells whether a value is such an error, also one from a second installed copy of the SDK. Never throws.
   *
   * @returns true for a StepwellError.
   * @example
   * import { StepwellError } from 'stepwell'
   * await stepwell.api.updateScore('unknown', { value: 1 }).catch((problem) => {
   *   if (!StepwellError.is(problem) || problem.code !== 'NOT_FOUND') throw problem
   * })
   */
  static is(value: unknown): value is StepwellError {
    return value instanceof Error && value.name === 'StepwellError' && 'code' in value
  }
}

/** Creates the error for an invalid argument, found before anything is sent. */
export const invalidArgument = (message: string) =>
  new StepwellError(message, { code: 'INVALID_ARGUMENT' })

/** @internal Returns the type of a value, as messages name it. */
export const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value

/** @internal Rejects values that cannot be called. */
export const mustBeFunction = (name: string, value: unknown): void => {
  if (typeof value !== 'function')
    throw invalidArgument(`${name}: expected a function, got ${kindOf(value)}`)
}
