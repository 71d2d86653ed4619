import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isObject } from '../values.js'
import { isAllowed, isPrivate, privateHost } from './base-url.js'
import type { ModelEvent, ModelRequest, Protocol } from './protocols/protocol.js'
import { publicLookup } from './public-lookup.js'
import { serverSentData } from './server-sent.js'

/** Limits of a call: the silence of an endpoint, the whole time, and the bytes of an answer. */
export interface CallLimits {
  silenceMs: number
  totalMs: number
  answerBytes: number
}

const CALL_LIMITS: CallLimits = {
  silenceMs: 60_000,
  totalMs: 300_000,
  answerBytes: 8_000_000,
}
/** Bytes of a failed answer in which its message is looked for. */
const MAX_FAILURE = 10_000
/** Characters of its message that are shown. */
const MAX_SHOWN = 500

export interface Call {
  protocol: Protocol
  baseUrl: string
  key: string
  request: ModelRequest
  /** Hosts of private networks that the operator allows. */
  allowed: readonly string[]
  signal: AbortSignal
  limits?: CallLimits
}

/** A failure to show the caller; it has neither the key nor a part of the request. */
class CallFailure extends Error {}

/** Asks an endpoint, and yields its answer as it arrives. A failure is the last event. */
export async function* ask(call: Call): AsyncGenerator<ModelEvent> {
  const { signal: ended, limits = CALL_LIMITS, protocol } = call
  const late = AbortSignal.timeout(limits.totalMs)
  const signal = AbortSignal.any([ended, late])
  let response: IncomingMessage | undefined
  try {
    response = await send(call, limits, signal)
    const status = response.statusCode ?? 0
    if (status >= 300 && status < 400)
      throw new CallFailure(`the endpoint redirects (${status}), which is not followed`)
    if (status < 200 || status >= 300)
      throw new CallFailure(`the endpoint answered ${status}${await failureOf(response, call.key)}`)
    let isEmpty = true
    let hasEnded = false
    for await (const data of serverSentData(bounded(response, limits.answerBytes))) {
      isEmpty = false
      if (data === '[DONE]') {
        // Without an end an answer counts as cut.
        if (!hasEnded) yield { type: 'end', reason: null }
        hasEnded = true
        continue
      }
      for (const event of read(protocol, data)) {
        if (event.type === 'end') hasEnded = true
        yield shown(event, call.key)
      }
    }
    // A page, or an answer in one piece, of a server that is none of a model or streams none.
    if (isEmpty) throw new CallFailure(`the endpoint answered ${status} without an event`)
  } catch (error) {
    if (ended.aborted) return
    yield { type: 'error', message: messageOf(error, late.aborted, limits) }
  } finally {
    // An answer that is not read to its end would keep the connection.
    response?.destroy()
  }
}

const send = (
  { protocol, baseUrl, key, request, allowed }: Call,
  { silenceMs }: CallLimits,
  signal: AbortSignal,
): Promise<IncomingMessage> => {
  const url = new URL(protocol.address(baseUrl))
  const mayBePrivate = isAllowed(url, allowed)
  if (!mayBePrivate && (isPrivate(url) || url.protocol !== 'https:'))
    throw new CallFailure(privateHost(url))
  const body = JSON.stringify(protocol.body(request))
  const start = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const sent = start(url, {
      method: 'POST',
      signal,
      // A connection of its own: none is left open to a host that a project names.
      agent: false,
      timeout: silenceMs,
      ...(mayBePrivate ? {} : { lookup: publicLookup(() => new CallFailure(privateHost(url))) }),
      headers: {
        ...protocol.headers(key),
        accept: 'text/event-stream',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'stepwell',
      },
    })
    let answered: IncomingMessage | undefined
    sent.on('response', (response) => {
      answered = response
      resolve(response)
    })
    sent.on('error', reject)
    // After 101 the connection is closed with no other event.
    sent.on('close', () => reject(new CallFailure('the endpoint closed the connection')))
    sent.on('timeout', () => {
      const failure = new CallFailure(`the endpoint sent nothing for ${silenceMs / 1000} seconds`)
      const silent = answered ?? sent
      silent.destroy(failure)
    })
    sent.end(body)
  })
}

async function* bounded(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > most) throw new CallFailure(`the answer is larger than ${most} bytes`)
    yield chunk
  }
}

const read = (protocol: Protocol, data: string): ModelEvent[] => {
  let event: unknown
  try {
    event = JSON.parse(data)
  } catch {
    throw new CallFailure('the endpoint sent an event that is no JSON')
  }
  return isObject(event) ? protocol.read(event) : []
}

/** Returns the message of a failed answer, if it has one. */
const failureOf = async (response: IncomingMessage, key: string): Promise<string> => {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of response) {
    parts.push(part)
    bytes += part.length
    if (bytes > MAX_FAILURE) break
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(parts).toString())
    const error = isObject(body) ? (body.error ?? body) : undefined
    const message = isObject(error) ? error.message : error
    return typeof message === 'string' ? `: ${withoutKey(message, key).slice(0, MAX_SHOWN)}` : ''
  } catch {
    return ''
  }
}

const shown = (event: ModelEvent, key: string): ModelEvent =>
  event.type === 'error' ? { ...event, message: withoutKey(event.message, key) } : event

/** Endpoints may repeat the key that they reject. */
const withoutKey = (text: string, key: string): string =>
  key === '' ? text : text.replaceAll(key, '…')

const messageOf = (error: unknown, isLate: boolean, { totalMs }: CallLimits): string => {
  if (isLate) return `the endpoint took longer than ${totalMs / 1000} seconds`
  if (error instanceof CallFailure) return error.message
  const { code } = error as { code?: unknown }
  return `the endpoint cannot be reached${typeof code === 'string' ? `: ${code}` : ''}`
}
