import { StepwellError, type StepwellErrorCode } from '../errors.js'
import type { PlatformResponse } from '../platform.js'
import { type Fetch, missingKey } from '../settings.js'
import { answerText } from '../values/answer-text.js'
import { isError } from '../values/is-error.js'
import { retryAfter } from '../values/retry-after.js'
import { VERSION } from '../version.js'

/** @internal */
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

/** @internal Returns a signal that aborts after a time, in milliseconds. */
export type AbortAfter = (milliseconds: number) => AbortSignal

/** The options of one call, in place of the client's. */
export interface CallOptions {
  /** Overrides the environment of the client. */
  environment?: string | undefined
}

/**
 * @internal Returns the headers of every call, including `content-type`; uploads get none of them. Throws without an
 * API key.
 */
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

/** @internal An answer, read to its end. */
export interface Answer {
  status: number
  headers: Headers
  text: string
}

/**
 * @internal Fetches with a time-out that covers the answer's body too. Throws a StepwellError when the network fails;
 * the caller checks the status of the answer.
 */
export const fetchWithin = async (
  fetch: Fetch,
  url: string,
  init: RequestInit,
  timeoutMs: number,
  abortAfter: AbortAfter = (milliseconds) => AbortSignal.timeout(milliseconds),
): Promise<Answer> => {
  const signal = abortAfter(timeoutMs)
  try {
    const response = await raceAbort(fetch(url, { ...init, signal }), signal)
    // Read here, within the time-out, and returned in memory: answers are JSON.
    const text = await textOf(response, signal)
    return { status: response.status ?? 200, headers: new Headers(response.headers), text }
  } catch (error) {
    throw networkError(error, url, signal.aborted, timeoutMs)
  }
}

/** Twice the largest rows of an answer, by the defaults of the service: it does not send more. */
const MAX_ANSWER = 256_000_000

/** @internal Reads the text of an answer until the signal aborts. */
export const textOf = (response: PlatformResponse, signal: AbortSignal): Promise<string> =>
  answerText(response, MAX_ANSWER, (part) => raceAbort(part, signal))

/** A custom `fetch` may ignore signals; the time-out applies all the same. */
const raceAbort = <Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })

/** @internal Returns the error of a request that got no answer, or a part of one. */
export const networkError = (
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
  const inner = isError(error) && isError(error.cause) ? error.cause : error
  const message = isError(inner) ? inner.message : String(inner)
  // OpenSSL puts its reason between the places in its sources.
  const reason = /SSL routines:[^:]*:([^:]+):/.exec(message)?.[1] ?? message
  const said = reason || (inner as { code?: string })?.code
  return new StepwellError(`no answer from ${origin}: ${said}${adviceOn(inner, origin)}`, {
    code: 'NETWORK',
    cause: error,
  })
}

/** Returns advice about a failure of the network, by the system's error code. */
const adviceOn = (error: unknown, origin: string): string => {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (code === 'ECONNREFUSED')
    return '; nothing listens there: start the service (npx stepwell serve), or name its URL as apiUrl'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return '; no such host is known: check the name in apiUrl'
  if (/wrong version number|packet length too long|ERR_SSL/i.test(`${code} ${message}`))
    return `; it speaks no TLS: name ${origin.replace('https:', 'http:')} as apiUrl`
  return ''
}

const CODES: Record<number, StepwellErrorCode> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  // The service says itself that something does not exist: this is a page of something before it.
  404: 'NETWORK',
  409: 'CONFLICT',
  408: 'UNAVAILABLE',
  413: 'TOO_LARGE',
  425: 'UNAVAILABLE',
  429: 'RATE_LIMITED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
}

/** @internal */
export interface AnsweredError {
  message?: unknown
  extensions?: { code?: unknown } | null
}

/** @internal Returns true for an answer that succeeded. */
export const isOk = ({ status }: Answer): boolean => status >= 200 && status <= 299

/**
 * @internal Posts a body as JSON and parses the answer of any status: the only way to the service. Throws a
 * StepwellError when the answer is not JSON.
 */
export const postJson = async (
  { fetch, timeoutMs, abortAfter }: HttpOptions,
  url: string,
  headers: HeadersInit | undefined,
  value: unknown,
): Promise<{ answer: Answer; body: unknown }> => {
  // Following a redirect would send the API key to another host, and would turn a POST into a GET.
  const init = { method: 'POST', headers, body: toJson(value), redirect: 'manual' } as RequestInit
  const answer = await fetchWithin(fetch, url, init, timeoutMs, abortAfter)
  refuseRedirect(answer, url)
  try {
    return { answer, body: JSON.parse(answer.text) }
  } catch {
    throw unreadable(answer)
  }
}

/** @internal Rejects a redirect, which would send the API key to another host. */
export const refuseRedirect = ({ status, headers }: Answer, url: string): void => {
  if (status < 300 || status > 399) return
  const location = headers.get('location') ?? ''
  const to = URL.canParse(location, url) ? new URL(location, url) : undefined
  // The path tells a page to sign in from a service that is below a path.
  const target = to ? to.origin + to.pathname.replace(/\/api\/.*|\/$/, '') : 'elsewhere'
  throw new StepwellError(
    `${new URL(url).origin} redirects to ${target}; name that as apiUrl if it is the service`,
    { code: 'NETWORK', status, retryable: false },
  )
}

/**
 * @internal Writes a request's body. A value that JSON cannot hold is the caller's mistake, not a failure of the
 * network.
 */
export const toJson = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch (error) {
    let place = ''
    try {
      // The last member that is met is the one at fault.
      JSON.stringify(value, (key, member) => {
        place = key
        return member
      })
    } catch {}
    throw new StepwellError(
      `${place || 'value'}: can't be written as JSON: ${(error as Error).message}`,
      {
        code: 'INVALID_ARGUMENT',
        cause: error,
      },
    )
  }
}

/** Matches the message of a path that the service does not have, and not that of an unknown list. */
const ELSEWHERE = /^path:(?! expected a list)/

/** @internal Creates the error for an answer, in the service's own words if it has any. */
export const answeredError = (
  { status, headers, text }: Answer,
  errors: readonly AnsweredError[],
): StepwellError => {
  const [first] = errors.filter((error) => typeof error === 'object' && error !== null)
  const said = errors
    .map((error) => error?.message)
    .filter((message) => typeof message === 'string')
  const code = first?.extensions?.code
  return new StepwellError(
    `${
      said.length > 0
        ? said.join('; ')
        : `the service answered with status ${status}${text === '' ? '' : `: ${text.slice(0, 200)}`}`
    }${status === 404 && said.every((one) => ELSEWHERE.test(String(one))) ? '; expected apiUrl to be the URL of the service, without a path to its API' : ''}`,
    {
      code: typeof code === 'string' ? (code as StepwellErrorCode) : codeOf(status),
      status,
      ...namedBy(headers),
      retryable: typeof code === 'string' ? undefined : mayPass(status),
    },
  )
}

/**
 * @internal Creates the error for an answer that is not the service's: a proxy's page, or one from a server other than
 * Stepwell.
 */
export const unreadable = ({ status, headers, text }: Answer, expected = 'JSON'): StepwellError =>
  new StepwellError(
    `expected ${expected} from the service, got ${text === '' ? 'an empty answer' : `${JSON.stringify(text.slice(0, 80))}`} with status ${status}; is apiUrl the URL of a Stepwell service?`,
    {
      code: status >= 400 ? codeOf(status) : 'NETWORK',
      status,
      ...namedBy(headers),
      retryable: mayPass(status),
    },
  )

/** Returns the members of an error that headers of its answer name. */
const namedBy = (headers: Headers) => ({
  requestId: headers.get('x-request-id') ?? undefined,
  retryAfterMs: retryAfter(headers.get('retry-after')),
})

const mayPass = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status)

const codeOf = (status: number): StepwellErrorCode =>
  CODES[status] ?? (status >= 500 ? 'INTERNAL' : 'BAD_REQUEST')
