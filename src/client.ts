import { type Api, createApi } from './api/api.js'
import { StepwellError } from './errors.js'
import type { Fetch } from './transport/http.js'
import { createTransport } from './transport/transport.js'

export interface StepwellClientOptions {
  /** The API key of a project; `STEPWELL_API_KEY`, then `LITERAL_API_KEY`, when absent. */
  apiKey?: string | undefined
  /** Where the service is; `STEPWELL_API_URL`, then `LITERAL_API_URL`, then `http://localhost:3000`, when absent. */
  apiUrl?: string | undefined
  /** The environment of what this client records: `dev`, `staging`, `prod` or `experiment`. The service's default is `prod`. */
  environment?: 'dev' | 'staging' | 'prod' | 'experiment' | undefined
  /** The release of the application, kept with what is traced. */
  release?: string | undefined
  /** Records nothing: steps that are sent go nowhere, and no key is needed. Everything else still asks the service. */
  disabled?: boolean | undefined
  /** Replaces the network; given the `fetch` of a service in this process, no socket is used. */
  fetch?: Fetch | undefined
  /** How long a call may take, in milliseconds: 30,000 when absent. */
  timeoutMs?: number | undefined
  /** How long sending an uploaded file may take, in milliseconds: 600,000 when absent. */
  uploadTimeoutMs?: number | undefined
}

const DEFAULT_URL = 'http://localhost:3000'
const TIMEOUT_MS = 30_000
const UPLOAD_TIMEOUT_MS = 600_000

/**
 * A client of one project of a Stepwell service.
 *
 * @example
 * const stepwell = new StepwellClient({ apiKey: 'lsk_…', apiUrl: 'http://localhost:3000' })
 * await stepwell.api.getSteps({ first: 20 })
 *
 * @throws StepwellError when there is no API key, or when the URL is none.
 */
export class StepwellClient {
  /** Every operation of the service, in camelCase and in snake_case. */
  readonly api: Api
  /** The release of the application; `undefined` when none was named. */
  readonly release: string | undefined

  constructor(options: StepwellClientOptions = {}) {
    const disabled = options.disabled ?? false
    const apiKey = options.apiKey || fromEnvironment('STEPWELL_API_KEY', 'LITERAL_API_KEY')
    if (!apiKey && !disabled)
      throw new StepwellError(
        'apiKey: expected the API key of a project, as an option or as STEPWELL_API_KEY',
        {
          code: 'UNAUTHENTICATED',
        },
      )
    const apiUrl =
      options.apiUrl || fromEnvironment('STEPWELL_API_URL', 'LITERAL_API_URL') || DEFAULT_URL
    if (!/^https?:\/\/[^/]/i.test(apiUrl) || !URL.canParse(apiUrl))
      throw new StepwellError(
        `apiUrl: expected an http or https URL, got ${JSON.stringify(apiUrl)}`,
        {
          code: 'INVALID_ARGUMENT',
        },
      )
    this.release = options.release
    this.api = createApi(
      createTransport({
        apiKey,
        apiUrl: apiUrl.replace(/\/+$/, ''),
        environment: options.environment,
        // Looked up at each call, so that tools that replace it later are seen.
        fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
        timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
        uploadTimeoutMs: options.uploadTimeoutMs ?? UPLOAD_TIMEOUT_MS,
        disabled,
      }),
    )
  }
}

/** The first of some environment variables that is set; nothing where there is no such environment. */
const fromEnvironment = (...names: string[]): string | undefined => {
  for (const name of names) {
    const value = globalThis.process?.env?.[name]
    if (value) return value
  }
  return undefined
}
