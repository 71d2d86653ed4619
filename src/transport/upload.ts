import { invalidArgument, StepwellError } from '../errors.js'
import { isError } from '../values/is-error.js'
import { type ContentSource, openContent, release } from './content.js'
import { fetchWithin, type HttpOptions, isOk } from './http.js'
import type { Post } from './rest.js'

interface UploadParams extends ContentSource {
  /** Names the object; made up when absent. */
  id?: string | null | undefined
  threadId?: string | null | undefined
  /** The media type, `application/octet-stream` when absent. */
  mime?: string | null | undefined
}

/** The place of an uploaded file. */
export interface UploadedFile {
  /** The key that an attachment keeps; null when the upload failed. */
  objectKey: string | null
  /** A presigned URL to read it from, good for a limited time; null when the upload failed. */
  url: string | null
}

/** An attachment that will be stored by a call of its own, once its content is uploaded. */
interface ComingAttachment {
  id?: string | null | undefined
  stepId: string | undefined
  name?: string | null | undefined
  metadata?: unknown
}

/** Uploads content. The service rejects the attachment that is told to it before anything is sent. */
export type Upload = (params: UploadParams, attachment?: ComingAttachment) => Promise<UploadedFile>

interface Instructions {
  method: 'PUT' | 'POST'
  url: string
  headers: Record<string, string>
  fields: Record<string, string>
  isRaw: boolean
  objectKey: string
  signedUrl: string
}

const DEFAULT_MIME = 'application/octet-stream'

/** @internal */
export const createUpload =
  (options: HttpOptions, post: Post): Upload =>
  async ({ id, threadId, mime, ...source }, attachment) => {
    const fileName = id || crypto.randomUUID()
    const contentType = mime || DEFAULT_MIME
    // A Node stream may fail before anything reads it; without a listener that would end the process.
    const stream = source.content as { on?: (event: 'error', listener: () => void) => void } | null
    stream?.on?.('error', () => undefined)
    // Opened first: content that cannot be read needs no signature.
    const { content, failure } = watch(await openContent(source, contentType))
    let isSent = false
    try {
      const signed = await post('/api/upload/file', {
        fileName,
        contentType,
        ...(threadId ? { threadId } : {}),
        attachment,
      })
      const target = readInstructions(signed)
      isSent = await send(options, target, content, fileName, contentType)
      if ('error' in failure) throw failure.error
      return isSent
        ? { objectKey: target.objectKey, url: target.signedUrl }
        : { objectKey: null, url: null }
    } finally {
      failure.error = undefined
      if (!isSent) await release(source)
    }
  }

const readInstructions = (answer: unknown): Instructions => {
  const wrong = (expected: string) =>
    new StepwellError(`invalid response to the request for an upload URL: expected ${expected}`, {
      code: 'NETWORK',
      retryable: false,
    })
  if (!isRecord(answer)) throw wrong('an object')
  const method = isRecord(answer.put) ? 'PUT' : 'POST'
  const target = isRecord(answer.put) ? answer.put : answer.post
  if (!isRecord(target)) throw wrong('put or post')
  const fields = isRecord(target.fields) ? target.fields : {}
  if (typeof target.url !== 'string' || target.url === '')
    throw wrong(`${method.toLowerCase()}.url`)
  if (typeof fields.key !== 'string') throw wrong(`${method.toLowerCase()}.fields.key`)
  if (typeof answer.signedUrl !== 'string') throw wrong('signedUrl')
  return {
    method,
    url: target.url,
    headers: isRecord(target.headers) ? (target.headers as Record<string, string>) : {},
    fields: fields as Record<string, string>,
    isRaw: target.uploadType === 'raw',
    objectKey: fields.key,
    signedUrl: answer.signedUrl,
  }
}

/**
 * Resolves to true when the content arrived. The target gets the headers that the signature listed and no others: no
 * API key.
 */
const send = async (
  { fetch, uploadTimeoutMs, abortAfter }: HttpOptions,
  { method, url, headers, fields, isRaw }: Instructions,
  content: Blob | AsyncGenerator<Uint8Array>,
  fileName: string,
  mime: string,
): Promise<boolean> => {
  // The target of a redirect has not stored the file, whatever it answers.
  const redirect = 'manual'
  const init: RequestInit & { duplex?: 'half' } = isRaw
    ? { redirect, method, headers: { 'content-type': mime, ...headers }, ...rawBody(content) }
    : { redirect, method, ...multipartBody(headers, fields, content, fileName, mime) }
  try {
    return isOk(await fetchWithin(fetch, url, init, uploadTimeoutMs, abortAfter))
  } catch (error) {
    if (isUnreadable(error)) throw invalidArgument('path: the file changed as it was read')
    // The contract: a failed upload returns nulls.
    if (StepwellError.is(error)) return false
    throw error
  }
}

/** Returns true for the error of a request whose file cannot be read any more. */
const isUnreadable = (error: unknown): boolean =>
  isError(error) && (error.name === 'NotReadableError' || isUnreadable(error.cause))

const rawBody = (content: Blob | AsyncGenerator<Uint8Array>) =>
  content instanceof Blob ? { body: content } : { body: toStream(content), duplex: 'half' as const }

/**
 * Frames a form by hand, with the fields first and the file last. Content of known length is sent with its length, as
 * buckets require it; a stream in chunks. A form of the platform fails unheard on Node 24 when its file changes meanwhile:
 * the request hangs, and the process ends by a rejection that nobody can handle.
 */
const multipartBody = (
  headers: Record<string, string>,
  fields: Record<string, string>,
  content: Blob | AsyncGenerator<Uint8Array>,
  fileName: string,
  mime: string,
) => {
  const boundary = `stepwell-${crypto.randomUUID()}`
  const part = (name: string, rest: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"${rest}`
  const head = [
    ...Object.entries(fields).map(([name, value]) => part(name, `\r\n\r\n${value}\r\n`)),
    part('file', `; filename="${quoted(fileName)}"\r\ncontent-type: ${mime}\r\n\r\n`),
  ].join('')
  const tail = `\r\n--${boundary}--\r\n`
  async function* framed(stream: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield encoder.encode(head)
    yield* stream
    yield encoder.encode(tail)
  }
  return {
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    ...rawBody(content instanceof Blob ? new Blob([head, content, tail]) : framed(content)),
  }
}

const quoted = (text: string) =>
  text.replace(/["\r\n]/g, (character) => encodeURIComponent(character))

const encoder = new TextEncoder()

/** A platform's `fetch` may wait for ever after a chunk that is no Uint8Array. */
const bytesOf = (chunk: unknown): Uint8Array => {
  if (typeof chunk === 'string') return encoder.encode(chunk)
  if (chunk instanceof Uint8Array) return chunk
  if (ArrayBuffer.isView(chunk))
    return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk)
  throw invalidArgument(
    `content: expected a stream of bytes or strings, got a chunk of type ${chunk === null ? 'null' : typeof chunk}`,
  )
}

/**
 * Converts the chunks of a stream to bytes, and watches its errors: those are the caller's, not failures of the upload.
 * The failure is set at the end in any case.
 */
const watch = (content: Blob | AsyncIterable<unknown>) => {
  const failure: { error?: unknown } = {}
  if (content instanceof Blob) return { content, failure }
  async function* watched(chunks: AsyncIterable<unknown>) {
    try {
      for await (const chunk of chunks) {
        // The request is over, and Node's `fetch` reads on, without a pause, to an end that may never come.
        if ('error' in failure) return
        yield bytesOf(chunk)
      }
    } catch (error) {
      failure.error = error
      throw error
    }
  }
  return { content: watched(content), failure }
}

const toStream = (chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return(undefined)
    },
  })

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
