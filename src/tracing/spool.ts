// The entry point for recording with a spool: `stepwell/tracing` with it.
import { Spool } from '../outbox/spool/spool.js'
import { Tracer as LeanTracer } from './tracer.js'
import type { TracerOptions } from './tracer-options.js'

/** Records what an application does, and keeps it in a folder, with the option `spool`, until it is delivered. */
export class Tracer extends LeanTracer {
  /**
   * Makes a client. Without an API key, it records nothing, and reports so once.
   *
   * @throws `INVALID_ARGUMENT` when an option is invalid.
   */
  constructor(options: TracerOptions = {}) {
    super(options, undefined, (spoolOptions) => new Spool(spoolOptions))
  }
}

export { StepwellError } from '../errors.js'
export type * from './index.js'
