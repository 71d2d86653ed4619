import { DomainError, show } from '../domain/errors.js'
import { isObject } from '../domain/values.js'
import { badRequest } from './answers.js'

/** Reads a JSON object from a request's body, and stops reading once it is too large. */
export const readJsonObject = async (
  request: Request,
  mostBytes: number,
): Promise<Record<string, unknown>> => {
  let body: unknown
  const text = await readText(request, mostBytes)
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw badRequest(
      `body: expected JSON, ${error instanceof Error ? error.message.slice(0, 200) : 'got something else'}`,
    )
  }
  if (!isObject(body)) throw badRequest('body: expected a JSON object')
  return body
}

/** Reads a body as it is, and stops reading once it is too large. None is one without bytes. */
export const readBytes = async (request: Request, mostBytes: number): Promise<Uint8Array> => {
  const tooLarge = tooLargeFor(mostBytes)
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) throw tooLarge
  if (request.body === null) return new Uint8Array()
  const parts: Uint8Array[] = []
  let bytes = 0
  const stream = unpacked(request.body, request.headers.get('content-encoding'))
  for await (const chunk of unbroken(stream)) {
    bytes += chunk.length
    if (bytes > mostBytes) throw tooLarge
    parts.push(chunk)
  }
  return Buffer.concat(parts)
}

const tooLargeFor = (mostBytes: number) =>
  new DomainError('TOO_LARGE', `body: expected at most ${mostBytes} bytes`)

const readText = async (request: Request, mostBytes: number): Promise<string> => {
  const tooLarge = tooLargeFor(mostBytes)
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) throw tooLarge
  if (isPlain(request.headers)) return readWhole(request, mostBytes, tooLarge)
  if (request.body === null) throw badRequest('body: expected a JSON object, got nothing')
  const stream = unpacked(request.body, request.headers.get('content-encoding'))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parts: string[] = []
  let bytes = 0
  for await (const chunk of unbroken(stream)) {
    bytes += chunk.length
    if (bytes > mostBytes) throw tooLarge
    parts.push(decode(decoder, chunk))
  }
  parts.push(decode(decoder))
  return parts.join('')
}

/** Whether a body says how long it is and is as it is: then it can be read at once, which costs a third as much. */
const isPlain = (headers: Headers): boolean =>
  headers.has('content-length') &&
  ['', 'identity'].includes(headers.get('content-encoding')?.trim().toLowerCase() ?? '')

const readWhole = async (
  request: Request,
  mostBytes: number,
  tooLarge: DomainError,
): Promise<string> => {
  const bytes = await request.arrayBuffer().catch(() => {
    throw brokenOff()
  })
  if (bytes.byteLength > mostBytes) throw tooLarge
  if (bytes.byteLength === 0) throw badRequest('body: expected a JSON object, got nothing')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return decode(decoder, new Uint8Array(bytes)) + decode(decoder)
}

const brokenOff = () => badRequest('body: the request broke off, or is not compressed as it says')

/** A body as it was before it was compressed. Its size is counted after, so that a small one can't become a huge one. */
const unpacked = (
  body: ReadableStream<Uint8Array>,
  encoding: string | null,
): ReadableStream<Uint8Array> => {
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return body
    case 'gzip':
    case 'x-gzip':
      return body.pipeThrough(
        new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>,
      )
    case 'deflate':
      return body.pipeThrough(
        new DecompressionStream('deflate') as ReadableWritablePair<Uint8Array, Uint8Array>,
      )
    default:
      throw badRequest(`content-encoding: expected gzip, deflate or none, got ${show(encoding)}`)
  }
}

/** What a client that goes away leaves half done is its own affair, and no fault of the service. */
async function* unbroken(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch {
    throw brokenOff()
  }
}

const decode = (decoder: TextDecoder, chunk?: Uint8Array): string => {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch {
    throw badRequest('body: expected UTF-8')
  }
}

/** A text member of a body; undefined when it is absent, null or empty. */
export const optionalText = (body: Record<string, unknown>, field: string): string | undefined => {
  const value = body[field]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string')
    throw badRequest(
      `${field}: expected a string, got ${Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`}`,
    )
  return value
}
