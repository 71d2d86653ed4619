import { type Api, createApi } from './api/api.js'
import { Spool } from './outbox/spool.js'
import { positive, readConnection } from './settings.js'
import { Tracer, type TracerOptions } from './tracing/tracer.js'
import { createTransport } from './transport/transport.js'

export interface StepwellClientOptions extends TracerOptions {
  /** How long a call of `api` may take, in milliseconds: 30,000 when absent. */
  timeoutMs?: number | undefined
  /** How long sending an uploaded file may take, in milliseconds: 600,000 when absent. */
  uploadTimeoutMs?: number | undefined
}

const TIMEOUT_MS = 30_000
const UPLOAD_TIMEOUT_MS = 600_000

/**
 * A client of one project of a Stepwell service: records what an application does, and reads and changes what is stored.
 *
 * @example
 * const stepwell = new StepwellClient({ apiKey: 'lsk_…', apiUrl: 'http://localhost:3000' })
 * await stepwell.trace('agent', async () => { … })
 * await stepwell.api.getSteps({ first: 20 })
 */
export class StepwellClient extends Tracer {
  /** Every operation of the service, in camelCase and in snake_case. */
  readonly api: Api

  /** @throws StepwellError when there is no API key, or when an option can't be. */
  constructor(options: StepwellClientOptions = {}) {
    const connection = readConnection(options)
    const timeoutMs = positive('timeoutMs', options.timeoutMs ?? TIMEOUT_MS)
    const uploadTimeoutMs = positive(
      'uploadTimeoutMs',
      options.uploadTimeoutMs ?? UPLOAD_TIMEOUT_MS,
    )
    super(options, connection, (spoolOptions) => new Spool(spoolOptions))
    this.api = createApi(
      createTransport({
        ...connection,
        // Looked up at each call, so that tools that replace it later are seen.
        fetch: connection.fetch ?? ((input, init) => globalThis.fetch(input, init)),
        timeoutMs,
        uploadTimeoutMs,
        ambient: () => this.ambient,
      }),
    )
  }
}
