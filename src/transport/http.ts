import { StepwellError, type StepwellErrorCode } from '../errors.js'
import { type Fetch, missingKey } from '../settings.js'
import { VERSION } from '../version.js'

export interface HttpOptions {
  apiKey: string | undefined
  /** Without a slash at the end. */
  apiUrl: string
  environment: string | undefined
  fetch: Fetch
  timeoutMs: number
  uploadTimeoutMs: number
  /** Aborts after a time: `AbortSignal.timeout` when absent. The simulator of the tests has a clock of its own. */
  abortAfter?: AbortAfter
}

/** Returns a signal that aborts after a time, in milliseconds. */
export type AbortAfter = (milliseconds: number) => AbortSignal

/** What one call changes of the client's options. */
export interface CallOptions {
  /** Overrides the environment of the client. */
  environment?: string | undefined
}

/** The headers of every call, `content-type` included; uploads get none of them. Throws where there is no API key. */
export const headersOf = (
  { apiKey, environment }: Pick<HttpOptions, 'apiKey' | 'environment'>,
  call: CallOptions = {},
): Record<string, string> => {
  const env = call.environment ?? environment
  if (apiKey === undefined) throw missingKey()
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    'x-client-name': 'stepwell-ts',
    'x-client-version': VERSION,
    'x-api-key': apiKey,
    ...(env === undefined ? {} : { 'x-env': env }),
  }
}

/**
 * Fetches within a time-out that covers the answer's body too. Every failure of the network is a StepwellError; what
 * the answer says is the caller's to judge.
 */
export const fetchWithin = async (
  fetch: Fetch,
  url: string,
  init: RequestInit,
  timeoutMs: number,
  abortAfter: AbortAfter = (milliseconds) => AbortSignal.timeout(milliseconds),
): Promise<Response> => {
  const timeout = abortAfter(timeoutMs)
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout
  try {
    const response = await raceAbort(fetch(url, { ...init, signal }), signal)
    // The body is read here, within the time-out, and handed on in memory: answers are JSON.
    const body = await raceAbort(response.arrayBuffer(), signal)
    return new Response(body.byteLength === 0 ? null : body, {
      status: response.status,
      headers: response.headers,
    })
  } catch (error) {
    throw networkError(error, url, timeout.aborted, timeoutMs)
  }
}

/** A `fetch` of the user's own may not know signals; the time-out holds all the same. */
const raceAbort = <Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })

const networkError = (
  error: unknown,
  url: string,
  timedOut: boolean,
  timeoutMs: number,
): StepwellError => {
  if (StepwellError.is(error)) return error
  const { origin } = new URL(url)
  if (timedOut)
    return new StepwellError(`no answer from ${origin} within ${timeoutMs} ms`, {
      code: 'TIMEOUT',
      cause: error,
    })
  const reason =
    error instanceof Error
      ? (error.cause instanceof Error ? error.cause : error).message
      : String(error)
  return new StepwellError(`no answer from ${origin}: ${reason}`, { code: 'NETWORK', cause: error })
}

const CODES: Record<number, StepwellErrorCode> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  413: 'TOO_LARGE',
  429: 'RATE_LIMITED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
}

export interface AnsweredError {
  message?: unknown
  extensions?: { code?: unknown } | null
}

/**
 * Refuses an answer that points elsewhere: following it would carry the API key to whoever is there, and would turn a
 * POST into a GET.
 */
export const refuseRedirect = (response: Response, url: string): Response => {
  if (response.status < 300 || response.status > 399) return response
  const location = response.headers.get('location') ?? ''
  const target = URL.canParse(location, url) ? new URL(location, url).origin : 'elsewhere'
  throw new StepwellError(
    `${new URL(url).origin} redirects to ${target}; name that as apiUrl if it is the service`,
    { code: 'NETWORK', status: response.status, retryable: false },
  )
}

/** A request's body. What JSON can't hold is the caller's mistake, and no failure of the network. */
export const toJson = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw new StepwellError(
      `the parameters can't be written as JSON: ${(error as Error).message}`,
      {
        code: 'INVALID_ARGUMENT',
        cause: error,
      },
    )
  }
}

/** The error that an answer stands for, from the service's own words where it gave some. */
export const answeredError = (
  response: { status: number; headers: Headers },
  errors: readonly AnsweredError[],
  text = '',
): StepwellError => {
  const { status } = response
  const [first] = errors.filter((error) => typeof error === 'object' && error !== null)
  const said = errors
    .map((error) => error?.message)
    .filter((message) => typeof message === 'string')
  const code = first?.extensions?.code
  return new StepwellError(
    said.length > 0
      ? said.join('; ')
      : `the service answered with status ${status}${text === '' ? '' : `: ${text.slice(0, 200)}`}`,
    {
      code:
        typeof code === 'string'
          ? (code as StepwellErrorCode)
          : (CODES[status] ?? (status >= 500 ? 'INTERNAL' : 'BAD_REQUEST')),
      status,
      requestId: response.headers.get('x-request-id') ?? undefined,
    },
  )
}

/** An answer of which nothing can be made: a proxy's page, or the page of something that is no Stepwell. */
export const unreadable = (
  response: { status: number; headers: Headers },
  text: string,
): StepwellError =>
  new StepwellError(
    `expected JSON from the service, got ${text === '' ? 'an empty answer' : `${JSON.stringify(text.slice(0, 80))}`} with status ${response.status}; is apiUrl the URL of a Stepwell service?`,
    {
      code:
        response.status >= 400
          ? (CODES[response.status] ?? (response.status >= 500 ? 'INTERNAL' : 'BAD_REQUEST'))
          : 'NETWORK',
      status: response.status,
      requestId: response.headers.get('x-request-id') ?? undefined,
      retryable: response.status >= 500 || response.status === 429,
    },
  )
