import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isAllowed } from '../models/base-url.js'
import { publicLookup } from '../models/public-lookup.js'
import { faultOf, privateWebhook } from './webhook-url.js'

const POST_MS = 10_000

/** The outcome of an attempt to call a webhook. Nothing of the answer is kept but its status. */
export interface PostOutcome {
  isDelivered: boolean
  status: number | null
  error: string | null
}

class PostFailure extends Error {}

/** Posts a body, until a signal ends it. Redirects are not followed. Never rejects. */
export const post = async (
  url: URL,
  headers: Record<string, string>,
  body: string,
  allowed: readonly string[],
  ended: AbortSignal,
): Promise<PostOutcome> => {
  const late = AbortSignal.timeout(POST_MS)
  const signal = AbortSignal.any([ended, late])
  try {
    const status = await statusOf(url, headers, body, allowed, signal)
    if (status >= 200 && status < 300) return { isDelivered: true, status, error: null }
    const error =
      status >= 300 && status < 400
        ? `the webhook redirects (${status}), which is not followed`
        : `the webhook answered ${status}`
    return { isDelivered: false, status, error }
  } catch (error) {
    return { isDelivered: false, status: null, error: messageOf(error, late.aborted) }
  }
}

const statusOf = (
  url: URL,
  headers: Record<string, string>,
  body: string,
  allowed: readonly string[],
  signal: AbortSignal,
): Promise<number> => {
  // The operator may have taken a permission away since the URL was checked.
  const fault = faultOf(url, allowed)
  if (fault !== undefined) throw new PostFailure(fault)
  const start = url.protocol === 'https:' ? requestHttps : requestHttp
  const lookup = publicLookup(() => new PostFailure(privateWebhook(url)))
  return new Promise((resolve, reject) => {
    const sent = start(url, {
      method: 'POST',
      signal,
      // A connection of its own: none is left open to a host that a project names.
      agent: false,
      ...(isAllowed(url, allowed) ? {} : { lookup }),
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'stepwell',
      },
    })
    sent.on('response', (response) => {
      resolve(response.statusCode ?? 0)
      response.on('error', () => undefined)
      // Reads nothing of the body, however long it is.
      response.destroy()
    })
    sent.on('error', reject)
    // After 101 the connection is closed with no other event.
    sent.on('close', () => reject(new PostFailure('the webhook closed the connection')))
    sent.end(body)
  })
}

const messageOf = (error: unknown, isLate: boolean): string => {
  if (isLate) return `the webhook took longer than ${POST_MS / 1000} seconds`
  if (error instanceof PostFailure) return error.message
  const { code } = error as { code?: unknown }
  return `the webhook cannot be reached${typeof code === 'string' ? `: ${code}` : ''}`
}
