import { lookup } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isObject } from '../values.js'
import { hostOf, isAllowed, privateHost } from './base-url.js'
import type { ModelEvent, ModelRequest, Protocol } from './protocols/protocol.js'
import { isPublicAddress } from './public-address.js'
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
  try {
    const response = await send(call, limits, signal)
    const status = response.statusCode ?? 0
    if (status >= 300 && status < 400)
      throw new CallFailure(`the endpoint redirects (${status}), which is not followed`)
    if (status < 200 || status >= 300)
      throw new CallFailure(`the endpoint answered ${status}${await failureOf(response, call.key)}`)
    for await (const data of serverSentData(bounded(response, limits.answerBytes))) {
      if (data === '[DONE]') continue
      for (const event of read(protocol, data)) yield shown(event, call.key)
    }
  } catch (error) {
    if (ended.aborted) return
    yield { type: 'error', message: messageOf(error, late.aborted, limits) }
  }
}

const send = (
  { protocol, baseUrl, key, request, allowed }: Call,
  { silenceMs }: CallLimits,
  signal: AbortSignal,
): Promise<IncomingMessage> => {
  const url = new URL(protocol.address(baseUrl))
  const mayBePrivate = isAllowed(url, allowed)
  if (!mayBePrivate && isIP(hostOf(url)) !== 0 && !isPublicAddress(hostOf(url)))
    throw new CallFailure(privateHost(url))
  if (!mayBePrivate && url.protocol !== 'https:') throw new CallFailure(privateHost(url))
  const body = JSON.stringify(protocol.body(request))
  const start = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const sent = start(url, {
      method: 'POST',
      signal,
      // A connection of its own: none is left open to a host that a project names.
      agent: false,
      timeout: silenceMs,
      ...(mayBePrivate ? {} : { lookup: publicLookup(url) }),
      headers: {
        ...protocol.headers(key),
        accept: 'text/event-stream',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'stepwell',
      },
    })
    sent.on('response', resolve)
    sent.on('error', reject)
    sent.on('timeout', () =>
      sent.destroy(new CallFailure(`the endpoint sent nothing for ${silenceMs / 1000} seconds`)),
    )
    sent.end(body)
  })
}

/**
 * Looks a name up, and connects to public addresses only. The check is part of the connection, as a name could lead to
 * another address a moment later.
 */
const publicLookup =
  (url: URL): LookupFunction =>
  (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, [])
      const found = addresses.filter(({ address }) => isPublicAddress(address))
      const [first] = found
      if (first === undefined) return done(new CallFailure(privateHost(url)), [])
      if (options.all === true) done(null, found)
      else done(null, first.address, first.family)
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
    return typeof message === 'string' ? `: ${withoutKey(message.slice(0, 500), key)}` : ''
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
