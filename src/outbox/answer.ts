import type { Answer } from './http-post.js'

/** A step or thread that the service did not take. */
export interface Refused {
  index: number
  message: string
  code: string | undefined
}

/** What an answer means for the batch that was sent. */
export type Outcome =
  | { kind: 'delivered'; refused: Refused[]; refusedThreads: Refused[] }
  /** The service can't take anything now, or not from this client. */
  | { kind: 'later'; message: string; waitMs: number | undefined }
  | { kind: 'tooLarge'; message: string }
  /** It was not sent: its parts will be. */
  | { kind: 'divided' }
  /** Something in the batch is not taken. */
  | { kind: 'rejected'; message: string }

/** Statuses that speak of the service or of the key, not of what was sent. */
const NOT_ABOUT_THE_BATCH = new Set([401, 402, 403, 404, 405, 407, 408, 425, 429])

/** Codes of errors that speak of what was sent. */
const ABOUT_THE_BATCH = new Set(['BAD_REQUEST', 'INVALID_ARGUMENT', 'TOO_LARGE', 'CONFLICT'])

export const outcomeOf = ({ status, text, retryAfterMs }: Answer): Outcome => {
  const body = parsed(text)
  const said = saidBy(body) ?? `status ${status}`
  const later = (message: string): Outcome => ({ kind: 'later', message, waitMs: retryAfterMs })
  if (status === 413) return { kind: 'tooLarge', message: said }
  if (status < 200 || status > 399 || NOT_ABOUT_THE_BATCH.has(status))
    return status >= 400 && status < 500 && !NOT_ABOUT_THE_BATCH.has(status)
      ? { kind: 'rejected', message: said }
      : later(said)
  if (status > 299) return later(`it redirects (status ${status}); name the target as apiUrl`)
  const errors = body?.errors
  if (Array.isArray(errors) && errors.length > 0)
    // A value that it can't read stays what it is; faults, and keys that are not known yet, pass.
    return ABOUT_THE_BATCH.has(codeOf(errors[0]))
      ? { kind: 'rejected', message: said }
      : later(said)
  const ingested = isObject(body?.data) ? (body.data.ingestSteps ?? body.data) : undefined
  if (!isObject(ingested) || ingested.ingestSteps === null)
    return later('the answer is not that of a Stepwell service')
  const list = (name: string) =>
    Array.isArray(ingested[name]) ? ingested[name].flatMap(refusedOf) : []
  return { kind: 'delivered', refused: list('refused'), refusedThreads: list('refusedThreads') }
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
