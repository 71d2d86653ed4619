import type { Agent, ClientRequest, RequestOptions } from 'node:http'
import { builtin } from '../../builtin.js'
import type { Fetch } from '../../settings.js'
import { answerText } from '../../values/answer-text.js'
import { retryAfter } from '../../values/retry-after.js'
import { runtime } from '../host.js'

/** An answer of any status. Failures of the network are thrown. */
export interface Answer {
  status: number
  text: string
  /** The delay that the service asks for; undefined without one. */
  retryAfterMs: number | undefined
}

/** Sends a body. Resolves to the answer; rejects after a time-out, or when the signal aborts. */
export type BatchPost = (
  body: Uint8Array,
  headers: Record<string, string>,
  timeoutMs: number,
  signal: AbortSignal,
) => Promise<Answer>

/**
 * Uses Node's own HTTP if there is one: its `fetch` takes tens of milliseconds of the event loop to load, and twice the
 * work for each request.
 */
export const createBatchPost = (url: string, fetch: Fetch | undefined): BatchPost => {
  const http = fetch === undefined ? builtin(isSecure(url) ? 'node:https' : 'node:http') : undefined
  return http === undefined
    ? fetchPost(url, fetch ?? ((input, init) => globalThis.fetch(input, init)))
    : nodePost(url, http)
}

const isSecure = (url: string) => new URL(url).protocol === 'https:'

const CUT_OFF = 'it was cut off, to be sent at once'

const lateAfter = (timeoutMs: number) => `no answer within ${Math.round(timeoutMs)} ms`

/** The service never sends a longer answer. */
const MAX_ANSWER = 4_000_000

type Http = Pick<typeof import('node:http'), 'request'> & { Agent: new (options: object) => Agent }

const nodePost = (url: string, http: Http): BatchPost => {
  const { protocol, hostname, port, pathname } = new URL(url)
  let agent: Agent | undefined
  const target: RequestOptions = {
    method: 'POST',
    protocol,
    // Brackets are the URL's way to write an IPv6 address, not the resolver's.
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    path: pathname,
    ...(port === '' ? {} : { port }),
  }
  return (body, headers, timeoutMs, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      agent ??= new http.Agent({ keepAlive: true, ...proxied() })
      let request: ClientRequest | undefined
      const fail = (error: Error) => {
        cancel()
        reject(error)
      }
      // The caller that awaits the answer keeps the process alive; the attempt itself does not.
      const cancel = runtime.timer(() => {
        request?.destroy(new Error(lateAfter(timeoutMs)))
      }, timeoutMs)
      try {
        request = http.request({
          ...target,
          agent,
          headers: { ...headers, 'content-length': body.byteLength },
        })
      } catch (error) {
        return fail(error as Error)
      }
      signal.addEventListener('abort', () => request?.destroy(new Error(CUT_OFF)), { once: true })
      // Without `unref`, in runtimes that imitate Node, sockets keep no process alive.
      request.on('socket', (socket) => socket.unref?.())
      request.on('error', fail)
      request.on('response', (response) => {
        const parts: Buffer[] = []
        let length = 0
        response.on('data', (part: Buffer) => {
          length += part.length
          if (length <= MAX_ANSWER) parts.push(part)
          else request?.destroy(new Error('the answer does not end'))
        })
        response.on('error', fail)
        response.on('aborted', () => fail(new Error('the answer broke off')))
        response.on('end', () => {
          cancel()
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(parts).toString(),
            retryAfterMs: retryAfter(response.headers['retry-after']),
          })
        })
      })
      request.end(body)
    })
}

/** When Node is told to use the proxies of the environment, its agents have to be told too. */
const proxied = (): object => (process.env.NODE_USE_ENV_PROXY ? { proxyEnv: process.env } : {})

const fetchPost =
  (url: string, fetch: Fetch): BatchPost =>
  async (body, headers, timeoutMs, signal) => {
    signal.throwIfAborted()
    // Not AbortSignal.any, which Next.js's edge runtime and browsers of 2023 lack.
    const request = new AbortController()
    const late = new Promise<never>((_, reject) => {
      const endWith = (reason: string) => () => {
        reject(new Error(reason))
        request.abort()
      }
      AbortSignal.timeout(timeoutMs).addEventListener('abort', endWith(lateAfter(timeoutMs)))
      signal.addEventListener('abort', endWith(CUT_OFF), { once: true })
    })
    late.catch(() => {})
    const response = await Promise.race([
      fetch(url, {
        method: 'POST',
        body: body as Uint8Array<ArrayBuffer>,
        headers,
        redirect: 'manual',
        signal: request.signal,
      }),
      late,
    ])
    return {
      status: response.status ?? 200,
      text: await answerText(response, MAX_ANSWER, (part) => Promise.race([part, late])),
      retryAfterMs: retryAfter(response.headers?.get('retry-after')),
    }
  }
