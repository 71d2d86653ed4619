import { StepwellError } from '../../errors.js'

/** Remembers the first request that the record has no answer for: an application may catch its error and go on. */
export class Problems {
  first: StepwellError | undefined
  readonly #onFirst: ((message: string) => void) | undefined

  constructor(onFirst?: (message: string) => void) {
    this.#onFirst = onFirst
  }

  /** Returns the error to throw. */
  note(message: string): StepwellError {
    const error = new StepwellError(`replay: ${message}`, { code: 'NOT_FOUND', retryable: false })
    if (this.first === undefined) this.#onFirst?.(error.message)
    this.first ??= error
    return error
  }
}
