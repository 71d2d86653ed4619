import type { ErrorCode } from '../../generated/resolvers.js'
import { DomainError } from '../kernel/errors.js'

const STATUS: Record<ErrorCode, number> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  BAD_REQUEST: 400,
  INVALID_ARGUMENT: 400,
  NOT_FOUND: 404,
  CONFLICT: 409,
  TOO_LARGE: 413,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
  INTERNAL: 500,
}

export const answer = (
  status: number,
  body: unknown,
  headers: Record<string, string> | [string, string][] = {},
): Response => answerAs(status, JSON.stringify(body), headers)

/** Returns an answer whose body is JSON already, as a text or as a stream. */
export const answerAs = (
  status: number,
  json: string | ReadableStream<Uint8Array>,
  headers: Record<string, string> | [string, string][] = {},
): Response =>
  new Response(json, {
    status,
    headers: [
      ['content-type', 'application/json; charset=utf-8'],
      ['cache-control', 'no-store'],
      // Several cookies are several headers of one name.
      ...(Array.isArray(headers) ? headers : Object.entries(headers)),
    ],
  })

/** Returns the body of a refusal, the same for GraphQL and other routes: released clients read `errors`. */
export const refusal = (
  error: DomainError,
  status = STATUS[error.code],
  headers: Record<string, string> = {},
) =>
  answer(
    status,
    { errors: [{ message: error.message, extensions: { code: error.code } }] },
    headers,
  )

export const badRequest = (message: string) => new DomainError('BAD_REQUEST', message)
