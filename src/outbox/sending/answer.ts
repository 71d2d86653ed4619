import type { Answer } from './http-post.js'

/** A step or thread that the service refused. */
export interface Refused {
  index: number
  message: string
  code: string | undefined
}

/** A failed attempt, possibly for reasons other than its content. */
export interface Failure {
  kind: 'failed'
  message: string
  /** The delay that the service asks for. */
  waitMs: number | undefined
  /** It looks like a fault of the service or of the key; a proxy on the way may still have refused the content. */
  isOfService: boolean
  /** There was an answer, and it did not ask for another attempt: repeated for one step, it is final. */
  isFinal: boolean
}

/** The meaning of an answer for the batch that was sent. */
export type Outcome =
  | {
      kind: 'delivered'
      refused: Refused[]
      refusedThreads: Refused[]
      /** Scores of steps or threads that were stored without them, each with its reason. */
      refusedScores: readonly string[]
    }
  | Failure
  | { kind: 'tooLarge'; message: string }
  /** It was not sent: its parts will be. */
  | { kind: 'divided' }
  /** The service refuses something in the batch. */
  | { kind: 'rejected'; message: string }

/** Statuses about the service or the key, not about the content. */
const OF_SERVICE = new Set([401, 402, 404, 405, 407, 408, 425, 429, 503])

/** Statuses and error codes that ask for another attempt. */
const PASSING = new Set<unknown>([408, 425, 429, 503, 'UNAVAILABLE', 'RATE_LIMITED'])

/** Error codes about the content. */
const ABOUT_THE_BATCH = new Set(['BAD_REQUEST', 'INVALID_ARGUMENT', 'CONFLICT'])

/** Error codes about the service or the key. */
const ABOUT_THE_SERVICE = new Set(['UNAVAILABLE', 'UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED'])

/** Returns the outcome of an attempt without an answer. */
export const unanswered = (message: string): Failure => ({
  kind: 'failed',
  message,
  waitMs: undefined,
  isOfService: false,
  isFinal: false,
})

export const outcomeOf = ({ status, text, retryAfterMs }: Answer): Outcome => {
  const body = parsed(text)
  const said = saidBy(body) ?? `status ${status}`
  const errors = body?.errors
  const code = Array.isArray(errors) ? codeOf(errors[0]) : ''
  const failed = (message: string, isOfService: boolean): Failure => ({
    kind: 'failed',
    message,
    waitMs: retryAfterMs,
    isOfService,
    isFinal: !PASSING.has(status) && !PASSING.has(code),
  })
  if (status === 413) return { kind: 'tooLarge', message: said }
  if (status >= 300 && status < 400)
    return failed(`it redirects (status ${status}); name the target as apiUrl`, true)
  if (OF_SERVICE.has(status)) return failed(said, true)
  if (status < 200 || status > 299) {
    // A proxy or firewall on the way may answer with any status: only the service's own refusal is final.
    const isOwn = Array.isArray(errors) && status !== 403 && status < 500
    return isOwn ? { kind: 'rejected', message: said } : failed(said, false)
  }
  if (Array.isArray(errors) && errors.length > 0) {
    if (code === 'TOO_LARGE') return { kind: 'tooLarge', message: said }
    return ABOUT_THE_BATCH.has(code)
      ? { kind: 'rejected', message: said }
      : failed(said, ABOUT_THE_SERVICE.has(code))
  }
  const ingested = isObject(body?.data) ? body.data.ingestSteps : undefined
  // Another service at the address may answer with data of its own, which acknowledges nothing.
  if (!isObject(ingested)) return failed('the answer is not from a Stepwell service', false)
  const list = (name: string) =>
    Array.isArray(ingested[name]) ? ingested[name].flatMap(refusedOf) : []
  return {
    kind: 'delivered',
    refused: list('refused'),
    refusedThreads: list('refusedThreads'),
    refusedScores: list('refusedScores').map(({ message }) => message),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parsed = (text: string): Record<string, unknown> | undefined => {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

const saidBy = (body: Record<string, unknown> | undefined): string | undefined => {
  const [first] = Array.isArray(body?.errors) ? body.errors : []
  return isObject(first) && typeof first.message === 'string' ? first.message : undefined
}

const codeOf = (error: unknown): string =>
  isObject(error) && isObject(error.extensions) ? String(error.extensions.code) : ''

const refusedOf = (refused: unknown): Refused[] =>
  isObject(refused) && typeof refused.index === 'number'
    ? [
        {
          index: refused.index,
          message: String(refused.message),
          code: typeof refused.code === 'string' ? refused.code : undefined,
        },
      ]
    : []
