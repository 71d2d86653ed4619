// What browsers and workers of the edge get for `stepwell/sync`: their bundlers would stumble over what it is made of.
import { StepwellError, type StepwellErrorCode } from '../errors.js'

export { StepwellError, type StepwellErrorCode }

/** Where no thread can be waited for, there is no synchronous client. */
export class StepwellClient {
  constructor() {
    throw new StepwellError(
      'stepwell/sync: expected Node, with threads that can be waited for; use the asynchronous client of stepwell here',
      { code: 'INVALID_ARGUMENT' },
    )
  }
}
