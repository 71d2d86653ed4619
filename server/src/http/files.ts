import { PassThrough, Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { ByteRange } from '../files/local-store.js'
import { dispositionOf, servedType } from '../files/media-types.js'
import type { StoredFile, Uploads } from '../files/uploads.js'
import { DomainError } from '../kernel/errors.js'
import { answer, badRequest } from './answers.js'

/**
 * Pages of any origin may read a file by its signed URL, as those of Chainlit do when they show a text or PDF: the
 * signature is enough, and cookies play no part.
 */
const FOR_ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'accept-ranges, content-disposition, content-length, content-range, content-type',
}

/** Answers a browser's preflight request before it reads a range of a file for a page of another origin. */
export const allowRead = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...FOR_ANY_ORIGIN,
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'range',
      'access-control-max-age': '600',
    },
  })

const noSuchFile = () => new DomainError('NOT_FOUND', 'file: nothing was uploaded under this key')

/** Takes an upload: a form with a part `file` by POST, the bare content by PUT, whatever its content type. */
export const receiveFile = async (
  uploads: Uploads,
  projectId: string,
  objectKey: string,
  request: Request,
): Promise<Response> => {
  // Before reading anything, so that strangers cost nothing.
  await uploads.expect(projectId, objectKey, new URL(request.url).searchParams)
  if (request.body === null) throw badRequest('body: expected the content of the file')
  const isForm = request.method !== 'PUT'
  uploads.expectSize(
    Number(request.headers.get('content-length') ?? 0) - (isForm ? MOST_BESIDE_FILE : 0),
  )
  const body = Readable.fromWeb(request.body as NodeReadableStream)
  const receive = (content: Readable) => uploads.receive(projectId, objectKey, content)
  // A client that disconnects before its body is read may leave a stream that neither continues nor ends.
  const breakOff = () => body.destroy(new Error('the client went away'))
  if (request.signal.aborted) breakOff()
  request.signal.addEventListener('abort', breakOff)
  try {
    if (isForm) await receivePart(request.headers, body, objectKey, receive)
    else await receive(body)
  } finally {
    // Not destroyed: Node's own forms throw where nobody can catch when their stream is cancelled, and the HTTP server
    // clears away the rest of a socket's request.
    body.unpipe()
    request.signal.removeEventListener('abort', breakOff)
  }
  return answer(200, { objectKey })
}

/** Streams the part `file` of a form to the store. */
const receivePart = (
  headers: Headers,
  body: Readable,
  objectKey: string,
  receive: (content: Readable) => Promise<void>,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const form = openForm(headers)
    let part: Readable | undefined
    let received: Promise<void> | undefined
    let failed = false
    const fail = (error: Error) => {
      failed = true
      // The part must fail before the form ends it, or half a file would be kept.
      part?.destroy(error)
      form.destroy()
      reject(error)
    }
    form.on('field', (name: string, value: string) => {
      if (name === 'key' && value !== objectKey)
        fail(
          new DomainError('FORBIDDEN', 'key: expected the object key that the URL was signed for'),
        )
    })
    form.on('file', (name: string, content: Readable) => {
      // The form may still report a part after it failed.
      if (name !== 'file' || part !== undefined || failed) {
        // Without a listener an error here would end the process.
        content.on('error', () => undefined).resume()
        return
      }
      // The form's stream may report that it broke off before anybody reads it, and then end as if it were whole. This
      // stream fails then, whenever it is read.
      const whole = new PassThrough()
      content.on('error', (error) => whole.destroy(error)).pipe(whole)
      part = whole.on('error', () => undefined)
      received = receive(whole)
      received.catch((error: Error) => {
        content.unpipe(whole)
        content.resume()
        reject(error)
      })
    })
    form.on('error', (error: Error) =>
      fail(badRequest(`body: expected a multipart form, ${error.message}`)),
    )
    form.on('partsLimit', () =>
      fail(badRequest(`body: expected a form of at most ${MAX_PARTS} parts`)),
    )
    form.on('finish', () => {
      if (received === undefined)
        reject(badRequest('file: expected a part of this name with the content'))
      else received.then(resolve, reject)
    })
    const brokeOff = badRequest('body: the upload broke off')
    body.on('error', () => fail(brokeOff))
    body.on('close', () => {
      if (!body.readableEnded) fail(brokeOff)
    })
    body.pipe(form)
  })

/** Bytes of a form beside its file: a field has a megabyte at most, and clients send some of them. */
const MOST_BESIDE_FILE = 10_000_000

/** Parts of a form. Clients send the file and some fields; each further part costs as much as ten thousands of bytes. */
const MAX_PARTS = 100

const openForm = (headers: Headers) => {
  try {
    return new Busboy({
      headers: Object.fromEntries(headers) as unknown as BusboyHeaders,
      limits: { parts: MAX_PARTS },
    })
  } catch (error) {
    throw badRequest(`content-type: expected multipart/form-data, ${(error as Error).message}`)
  }
}

export const sendFile = async (
  uploads: Uploads,
  projectId: string,
  objectKey: string,
  request: Request,
): Promise<Response> => {
  const file = await uploads.find(projectId, objectKey, new URL(request.url).searchParams)
  if (file === undefined) throw noSuchFile()
  const range = readRange(request.headers.get('range'), file.sizeBytes)
  const headers = new Headers({
    ...FOR_ANY_ORIGIN,
    'content-type': servedType(file.mime),
    'content-disposition': dispositionOf(file.mime),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'private, max-age=3600',
    'accept-ranges': 'bytes',
  })
  if (range === 'unsatisfiable') {
    headers.set('content-range', `bytes */${file.sizeBytes}`)
    return new Response(null, { status: 416, headers })
  }
  return sendRange(request, file, range, headers)
}

const sendRange = (
  request: Request,
  file: StoredFile,
  range: ByteRange | undefined,
  headers: Headers,
): Response => {
  const { start, end } = range ?? { start: 0, end: file.sizeBytes - 1 }
  headers.set('content-length', String(end - start + 1))
  if (range !== undefined) headers.set('content-range', `bytes ${start}-${end}/${file.sizeBytes}`)
  const isEmpty = request.method === 'HEAD' || file.sizeBytes === 0
  return new Response(isEmpty ? null : file.read({ start, end }), {
    status: range === undefined ? 200 : 206,
    headers,
  })
}

/** Parses one range of bytes, as players ask for; several at once and other units are answered with the whole file. */
const readRange = (
  header: string | null,
  size: number,
): ByteRange | 'unsatisfiable' | undefined => {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  if (match === null || (match[1] === '' && match[2] === '')) return undefined
  const [, from = '', to = ''] = match
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && from !== '' && Number(to) < Number(from)) return undefined
  return start >= size || end < start ? 'unsatisfiable' : { start, end }
}
