import type { Fetch } from '../../../settings.js'

/** The last request that a client sent, for the reason of a failure that the client keeps to itself. */
export interface Sent {
  url?: string
  status?: number | undefined
  failure?: string | undefined
}

/** Returns the platform's `fetch`, which notes the last request. */
export const watchedFetch =
  (sent: Sent): Fetch =>
  async (url, init) => {
    Object.assign(sent, { url, status: undefined, failure: undefined } satisfies Sent)
    try {
      const response = await fetch(url, init)
      sent.status = response.status
      return response
    } catch (error) {
      const cause = (error as Error).cause as { code?: unknown } | undefined
      sent.failure = `no answer (${typeof cause?.code === 'string' ? cause.code : 'too late'})`
      throw error
    }
  }
