import { UNREADABLE } from '../../values/readably.js'

interface ErrorLike {
  status?: unknown
  statusCode?: unknown
  code?: unknown
  type?: unknown
  error?: unknown
  headers?: unknown
  responseHeaders?: unknown
  response?: unknown
  cause?: unknown
  lastError?: unknown
  retryable?: unknown
  isRetryable?: unknown
  retryAfterMs?: unknown
}

/** Returns an error and its causes, outermost first, as clients of models wrap those of HTTP. */
const chainOf = (error: unknown): ErrorLike[] => {
  const chain: ErrorLike[] = []
  let one = error as ErrorLike | undefined
  while (typeof one === 'object' && one !== null && !chain.includes(one) && chain.length < 8) {
    chain.push(one)
    one = (one.cause ?? one.lastError) as ErrorLike | undefined
  }
  return chain
}

const statusOf = ({ status, statusCode, response }: ErrorLike): number | undefined => {
  const found = [status, statusCode, (response as ErrorLike | undefined)?.status].find(
    (value) => typeof value === 'number',
  )
  return found as number | undefined
}

/** Returns true when a provider refused a request because there were too many. */
export const isRateLimit = (error: unknown): boolean =>
  chainOf(error).some((one) => statusOf(one) === 429 || one.code === 'RATE_LIMITED')

const QUOTA = 'insufficient_quota'

/** Returns true when a provider refuses all requests until somebody pays. */
export const isQuotaUsed = (error: unknown): boolean =>
  chainOf(error).some(({ code, type, error: inner }) => {
    const { code: innerCode, type: innerType } = (inner ?? {}) as ErrorLike
    return [code, type, innerCode, innerType].includes(QUOTA)
  })

/** Returns a thrown value; an error in place of one whose properties can't be read, as of a proxy that throws. */
export const readableError = (error: unknown): unknown => {
  try {
    for (const read of [isQuotaUsed, isRateLimit, isTransient, retryAfterMs]) read(error)
    void (error instanceof Error)
    return error
  } catch {
    return new Error(UNREADABLE)
  }
}

const TRANSIENT =
  /^(ECONNRESET|ECONNREFUSED|ETIMEDOUT|EPIPE|EAI_AGAIN|ENOTFOUND|UND_ERR_\w+|NETWORK|TIMEOUT|UNAVAILABLE)$/

/** Returns true when the same call may succeed later: the network failed, or a server. */
export const isTransient = (error: unknown): boolean =>
  chainOf(error).some((one) => {
    if (one.retryable === true || one.isRetryable === true) return true
    const status = statusOf(one)
    return (
      (status !== undefined && (status >= 500 || status === 408 || status === 409)) ||
      (typeof one.code === 'string' && TRANSIENT.test(one.code))
    )
  })

/** Returns the milliseconds that an error says to wait, by `Retry-After`; `undefined` when it says nothing. */
export const retryAfterMs = (error: unknown): number | undefined => {
  for (const one of chainOf(error)) {
    const { response, headers, responseHeaders } = one
    if (typeof one.retryAfterMs === 'number') return one.retryAfterMs
    for (const given of [headers, responseHeaders, (response as ErrorLike | undefined)?.headers]) {
      const exact = Number(header(given, 'retry-after-ms') ?? Number.NaN)
      if (exact >= 0) return exact
      const text = header(given, 'retry-after')
      if (text === undefined) continue
      const waitMs = /^\s*[\d.]+\s*$/.test(text)
        ? Number(text) * 1000
        : Date.parse(text) - Date.now()
      if (Number.isFinite(waitMs)) return Math.max(0, waitMs)
    }
  }
  return undefined
}

const header = (headers: unknown, name: string): string | undefined => {
  if (typeof headers !== 'object' || headers === null) return undefined
  if ('get' in headers && typeof headers.get === 'function')
    return (headers.get(name) as string | null) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return found === undefined ? undefined : String(found)
}
