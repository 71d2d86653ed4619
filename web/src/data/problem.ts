import type { CombinedError } from 'urql'

/** What went wrong, as people can act on it. */
export interface Problem {
  message: string
  code: string
  /** By which the service's log knows the request; absent when it never got there. */
  requestId?: string | undefined
}

const ADVICE: Record<string, string> = {
  UNAUTHENTICATED: 'Sign in again.',
  FORBIDDEN: 'This key may not do that; sign in with one that may.',
  TOO_LARGE: 'Narrow the filter or the time range.',
  RATE_LIMITED: 'Wait a moment and try again.',
  UNAVAILABLE: 'Try again in a moment.',
  INTERNAL: 'The log of the service has the details.',
  NETWORK: 'Check that the service runs, and try again.',
}

export const adviceFor = ({ code }: Problem): string => ADVICE[code] ?? ''

export const toProblem = (error: CombinedError): Problem => {
  const requestId = (error.response as Response | undefined)?.headers?.get('x-request-id')
  const [first] = error.graphQLErrors
  if (first !== undefined)
    return {
      message: first.message,
      code: String(first.extensions?.code ?? 'ERROR'),
      requestId: requestId ?? undefined,
    }
  return {
    message: `The service can't be reached: ${error.networkError?.message ?? error.message}`,
    code: 'NETWORK',
    requestId: requestId ?? undefined,
  }
}
