import { createGunzip, createInflate, type Gunzip, type Inflate } from 'node:zlib'
import { isObject } from '../../domain/values.js'
import { DomainError, show } from '../../kernel/errors.js'
import { isTooDense } from '../../kernel/json-text.js'
import type { Turn } from '../../kernel/sharing/turns.js'
import { badRequest } from '../answers.js'
import { incomingOf } from '../node-messages.js'
import { type PaceLimits, watchPace } from './pace.js'
import type { Hold } from './room.js'

/** Where a body comes from, and its limits. */
export interface BodySource {
  request: Request
  limits: { requestBytes: number } & PaceLimits
  hold: Hold
  /** Waits until work on the body, of so many bytes, may begin; called when all of it has arrived. */
  begin: (bytes: number) => Promise<void>
  /** Lets others have their turn between parts of the work. */
  turn: Turn
}

export interface JsonBody {
  body: Record<string, unknown>
  /** Its unpacked length. */
  bytes: number
}

/** Memory of a text and the values in it for each byte, beside the bytes themselves. */
const GROWTH_OF_JSON = 4

/** Reads a JSON object from a request's body, and stops reading once it is too large. */
export const readJsonObject = async (source: BodySource): Promise<JsonBody> => {
  const bytes = await readBytes(source)
  if (bytes.length === 0) throw badRequest('body: expected a JSON object, got nothing')
  await source.hold.grow(bytes.length * GROWTH_OF_JSON)
  await source.begin(bytes.length)
  const text = decode(bytes)
  if (isTooDense(text))
    throw new DomainError(
      'TOO_LARGE',
      'body: expected fewer objects and lists for its size; send it in several parts',
    )
  await source.turn()
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw badRequest(
      `body: expected JSON, ${error instanceof Error ? error.message.slice(0, 200) : 'got something else'}`,
    )
  }
  if (!isObject(body)) throw badRequest('body: expected a JSON object')
  return { body, bytes: bytes.length }
}

/**
 * Reads a raw body, and stops once it is too large or arrives too slowly. An absent body has no bytes. Counts its
 * unpacked size, and takes room as it grows, so that a small body cannot unpack into a huge one unnoticed.
 */
export const readBytes = async ({ request, limits, hold }: BodySource): Promise<Buffer> => {
  const { requestBytes } = limits
  const tooLarge = new DomainError('TOO_LARGE', `body: expected at most ${requestBytes} bytes`)
  if (Number(request.headers.get('content-length') ?? 0) > requestBytes) throw tooLarge
  const pace = watchPace(limits)
  const came = counted(chunksOf(request), pace.count)
  const parts: Uint8Array[] = []
  let bytes = 0
  const read = async () => {
    for await (const part of unpacked(came, request.headers.get('content-encoding'))) {
      bytes += part.length
      if (bytes > requestBytes) throw tooLarge
      await hold.grow(part.length)
      parts.push(part)
    }
  }
  const reading = read()
  try {
    await Promise.race([reading, pace.tooSlow])
  } finally {
    pace.stop()
    // An abandoned read may still fail.
    reading.catch(() => undefined)
  }
  const [only] = parts
  return parts.length === 1 && only !== undefined
    ? Buffer.from(only.buffer, only.byteOffset, only.byteLength)
    : Buffer.concat(parts, bytes)
}

/** Yields the bytes of a body, still compressed. A client that disconnects is no fault of the service. */
async function* chunksOf(request: Request): AsyncGenerator<Uint8Array> {
  // Reading it costs a third of reading a web stream.
  const incoming = incomingOf.get(request)
  try {
    // The socket stays open, as the answer is sent through it.
    if (incoming !== undefined && !incoming.destroyed)
      yield* incoming.iterator({ destroyOnReturn: false })
    else if (request.body !== null) yield* request.body
  } catch {
    throw brokenOff()
  }
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    count(chunk.length)
    yield chunk
  }
}

const brokenOff = () => badRequest('body: the request was cut off, or its compression is invalid')

const UNPACKED_AT_ONCE = 65_536

/** Decompresses a body. */
const unpacked = (
  chunks: AsyncIterable<Uint8Array>,
  encoding: string | null,
): AsyncIterable<Uint8Array> => {
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return chunks
    case 'gzip':
    case 'x-gzip':
      return through(createGunzip({ chunkSize: UNPACKED_AT_ONCE }), chunks)
    case 'deflate':
      return through(createInflate({ chunkSize: UNPACKED_AT_ONCE }), chunks)
    default:
      throw badRequest(`content-encoding: expected gzip, deflate or none, got ${show(encoding)}`)
  }
}

/** Decompresses no faster than the result is read. */
async function* through(
  unpacking: Gunzip | Inflate,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const feed = async () => {
    for await (const chunk of chunks) {
      // Nobody reads the rest, and nothing would end a wait for room.
      if (unpacking.destroyed) return
      if (!unpacking.write(chunk)) await drained(unpacking)
    }
    unpacking.end()
  }
  feed().catch((error) => unpacking.destroy(error))
  try {
    yield* unpacking
  } catch (error) {
    throw error instanceof DomainError ? error : brokenOff()
  } finally {
    unpacking.destroy()
  }
}

const drained = (stream: Gunzip | Inflate): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      stream.off('drain', go).off('close', go)
      resolve()
    }
    stream.on('drain', go).on('close', go)
  })

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badRequest('body: expected UTF-8')
  }
}

/** Returns a text member of a body; undefined when it is absent, null or empty. */
export const optionalText = (body: Record<string, unknown>, field: string): string | undefined => {
  const value = body[field]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string')
    throw badRequest(
      `${field}: expected a string, got ${Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`}`,
    )
  return value
}
