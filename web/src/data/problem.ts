import type { CombinedError } from 'urql'
import { UnreadableAnswerError } from './fetch-answer.js'

/** A failure in terms on which people can act. */
export interface Problem {
  message: string
  code: string
  /** The id under which the service logged the request; absent when it never got there. */
  requestId?: string | undefined
  /** True for what was to be stored, and not read. */
  isChange?: boolean
  /** True without an answer of the service, which may have done what it was asked. */
  isUnanswered?: boolean
}

const ADVICE: Record<string, string> = {
  UNAUTHENTICATED: 'Sign in again.',
  FORBIDDEN: 'This key may not do that; sign in with one that may.',
  TOO_LARGE: 'Narrow the filter or the time range.',
  RATE_LIMITED: 'Wait a moment and try again.',
  UNAVAILABLE: 'Try again in a moment.',
  INTERNAL: 'The log of the service has the details.',
  OUTDATED: 'Load the page anew.',
  NETWORK: 'Check that the service runs, and try again.',
}

export const adviceFor = ({ code, isChange = false, isUnanswered = false }: Problem): string => {
  if (isChange && isUnanswered)
    return 'Check that the service runs, and that this was not stored, before you try again.'
  return isChange && code === 'TOO_LARGE' ? 'Shorten what you send.' : (ADVICE[code] ?? '')
}

/** Messages of the service name headers and cookies, of which people know nothing. */
export const SIGNED_OUT = 'Your session is over, or was ended elsewhere.'

export const toProblem = (error: CombinedError, isChange = false): Problem => {
  const problem: Problem = { ...reported(error), isChange }
  return problem.code === 'UNAUTHENTICATED' ? { ...problem, message: SIGNED_OUT } : problem
}

const reported = (error: CombinedError): Problem => {
  const requestId =
    (error.response as Response | undefined)?.headers?.get('x-request-id') ?? undefined
  const [first] = error.graphQLErrors
  if (first !== undefined)
    return {
      message: first.message,
      code: String(first.extensions?.code ?? 'ERROR'),
      requestId,
    }
  const { networkError } = error
  if (networkError instanceof UnreadableAnswerError) return ofStatus(networkError, requestId)
  const status = (error.response as Response | undefined)?.status
  if (status !== undefined && status >= 400)
    return ofStatus(new UnreadableAnswerError(status), requestId)
  // An answer came and broke off, or is JSON of another kind. The words of the code that read it would help nobody.
  if (status !== undefined || networkError === undefined)
    return {
      message: `The answer of the service can't be read: ${networkError === undefined ? 'it has neither data nor an error' : 'it broke off, or is not from the service'}.`,
      code: 'NETWORK',
      requestId,
      isUnanswered: true,
    }
  return {
    message: `The service can't be reached: ${networkError.message}`,
    code: 'NETWORK',
    requestId,
    isUnanswered: true,
  }
}

/** A proxy that answers with 4xx or 503 has passed nothing on, as far as it says. */
const ofStatus = (error: UnreadableAnswerError, requestId: string | undefined): Problem => {
  const { message, status } = error
  const isRejected = (status >= 400 && status < 500) || status === 503
  return { message, code: codeOf(status), requestId, isUnanswered: !isRejected }
}

const codeOf = (status: number): string => {
  if (status === 401) return 'UNAUTHENTICATED'
  if (status === 403) return 'FORBIDDEN'
  if (status === 413) return 'TOO_LARGE'
  if (status === 429) return 'RATE_LIMITED'
  return status >= 500 && status !== 500 ? 'UNAVAILABLE' : 'NETWORK'
}
