// The version of `stepwell/sync` for browsers and edge workers: their bundlers could not process the real one.
import { StepwellError, type StepwellErrorCode } from '../errors.js'

export { StepwellError, type StepwellErrorCode }

/** Without a thread to wait for, there is no synchronous client. */
export class StepwellClient {
  constructor() {
    throw new StepwellError(
      'stepwell/sync: expected Node, with threads that can be waited for; use the asynchronous client of stepwell here',
      { code: 'INVALID_ARGUMENT' },
    )
  }
}
