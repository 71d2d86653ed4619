import { type RefusalReason, SignInRefused } from './refusal.js'

/** Codes of the client library, and what they mean for the person. */
const REASONS: Readonly<Record<string, RefusalReason>> = {
  OAUTH_TIMEOUT: 'away',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'away',
  OAUTH_RESPONSE_IS_NOT_JSON: 'away',
  OAUTH_PARSE_ERROR: 'away',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'clock',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'setup',
  OAUTH_HTTP_REQUEST_FORBIDDEN: 'setup',
}

/** Errors of the provider's answers that the standard names. */
const ANSWERS: Readonly<Record<string, RefusalReason>> = {
  invalid_grant: 'lost',
  access_denied: 'denied',
  login_required: 'denied',
  interaction_required: 'denied',
  server_error: 'away',
  temporarily_unavailable: 'away',
  invalid_client: 'setup',
  unauthorized_client: 'setup',
  invalid_scope: 'setup',
  invalid_request: 'setup',
}

/** Turns an error of a request to the provider into the refusal of a sign-in. Nothing that was sent or received is repeated. */
export const refusalOf = (error: unknown): unknown => {
  if (error instanceof SignInRefused) return error
  const {
    code,
    error: answered,
    cause,
    message,
  } = error as {
    code?: unknown
    error?: unknown
    cause?: unknown
    message?: unknown
  }
  // An answer of the provider names what is wrong by a word; its description may say anything.
  if (typeof answered === 'string') {
    const word = /^[a-z_]{1,60}$/.test(answered) ? answered : 'an error'
    return new SignInRefused(ANSWERS[word] ?? 'denied', `the provider answered ${word}`)
  }
  if (error instanceof TypeError && cause !== undefined)
    return new SignInRefused('away', `the provider does not answer: ${reasonOf(cause, error)}`)
  if (typeof code === 'string' && code.startsWith('OAUTH_'))
    return new SignInRefused(REASONS[code] ?? 'invalid', `${message}: ${detailOf(cause)} (${code})`)
  return error
}

const reasonOf = (cause: unknown, error: TypeError): string => {
  const { code } = cause as { code?: unknown }
  return typeof code === 'string' ? code : error.message
}

/** Returns the name of the claim or the part that was not as expected. Values are left out. */
const detailOf = (cause: unknown): string => {
  const { message, cause: inner } = (cause ?? {}) as { message?: unknown; cause?: unknown }
  const claim = (inner as { claim?: unknown; attribute?: unknown } | undefined) ?? {}
  const named = [claim.claim, claim.attribute].find((name) => typeof name === 'string')
  const said = typeof message === 'string' ? message : 'no more is known'
  return named === undefined || said.includes(String(named)) ? said : `${said} (${named})`
}
