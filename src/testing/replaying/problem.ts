import { StepwellError } from '../../errors.js'

/** Remembers the first request that the record has no answer for: an application may catch its error and go on. */
export class Problems {
  first: StepwellError | undefined

  /** Returns the error to throw. */
  note(message: string): StepwellError {
    const error = new StepwellError(`replay: ${message}`, { code: 'NOT_FOUND', retryable: false })
    this.first ??= error
    return error
  }
}
