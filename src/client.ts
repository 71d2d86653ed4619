import { type Api, createApi } from './api/api.js'
import { invalidArgument, StepwellError } from './errors.js'
import type { Fetch } from './transport/http.js'
import { createTransport } from './transport/transport.js'

export interface StepwellClientOptions {
  /** The API key of a project; `STEPWELL_API_KEY`, then `LITERAL_API_KEY`, when absent. */
  apiKey?: string | undefined
  /** Where the service is; `STEPWELL_API_URL`, then `LITERAL_API_URL`, then `http://localhost:3000`, when absent. */
  apiUrl?: string | undefined
  /** The environment of what this client records: `dev`, `staging`, `prod` or `experiment`. The service's default is `prod`. */
  environment?: 'dev' | 'staging' | 'prod' | 'experiment' | undefined
  /** The release of the application; kept for tracing, and so far without effect. */
  release?: string | undefined
  /** `sendSteps` sends nothing, and the client can be made without a key. Every other call still asks the service. */
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
    const apiKey = (
      options.apiKey || fromEnvironment('STEPWELL_API_KEY', 'LITERAL_API_KEY')
    )?.trim()
    if (!apiKey && !disabled)
      throw new StepwellError(
        'apiKey: expected the API key of a project, as an option or as STEPWELL_API_KEY',
        { code: 'UNAUTHENTICATED' },
      )
    // Neither is repeated in a message: they hold secrets, and may have been confused with one another.
    if (apiKey && !/^[\x21-\x7e]+$/.test(apiKey))
      throw invalidArgument('apiKey: expected printable characters without spaces or line breaks')
    const apiUrl =
      options.apiUrl || fromEnvironment('STEPWELL_API_URL', 'LITERAL_API_URL') || DEFAULT_URL
    if (!isServiceUrl(apiUrl))
      throw invalidArgument('apiUrl: expected an http or https URL without user, query or fragment')
    const timeoutMs = positive('timeoutMs', options.timeoutMs ?? TIMEOUT_MS)
    const uploadTimeoutMs = positive(
      'uploadTimeoutMs',
      options.uploadTimeoutMs ?? UPLOAD_TIMEOUT_MS,
    )
    this.release = options.release
    this.api = createApi(
      createTransport({
        apiKey,
        apiUrl: apiUrl.replace(/\/+$/, ''),
        environment: options.environment,
        // Looked up at each call, so that tools that replace it later are seen.
        fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
        timeoutMs,
        uploadTimeoutMs,
        disabled,
      }),
    )
  }
}

const isServiceUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === ''
}

/** The longest time that timers can hold: 24 days. */
const LONGEST_MS = 2 ** 31 - 1

const positive = (option: string, milliseconds: number): number => {
  if (!(milliseconds > 0 && milliseconds <= LONGEST_MS))
    throw invalidArgument(
      `${option}: expected milliseconds from 1 to ${LONGEST_MS}, got ${milliseconds}`,
    )
  return Math.ceil(milliseconds)
}

/** The first of some environment variables that is set; nothing where there is no such environment. */
const fromEnvironment = (...names: string[]): string | undefined => {
  for (const name of names) {
    const value = globalThis.process?.env?.[name]
    if (value) return value
  }
  return undefined
}
