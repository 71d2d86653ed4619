import { projectHeader } from './current-project.js'

/** A response that is not the service's, for example the page of a proxy. */
export class UnreadableAnswerError extends Error {
  readonly status: number

  constructor(status: number) {
    super(
      status >= 400
        ? `The service, or a proxy before it, answered with status ${status}.`
        : 'The answer is not from the service: it is not JSON.',
    )
    this.status = status
  }
}

/** Fetches an answer; rejects anything but JSON. */
export const fetchAnswer: typeof fetch = async (input, init = {}) => {
  const headers = { ...(init.headers as Record<string, string>), ...projectHeader() }
  const response = await fetch(input, { ...init, headers })
  if (!/json/i.test(response.headers.get('content-type') ?? ''))
    throw new UnreadableAnswerError(response.status)
  return response
}
