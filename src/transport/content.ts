import { builtin } from '../builtin.js'
import { invalidArgument } from '../errors.js'
import type { PlatformBlob, PlatformStream } from '../platform.js'

/**
 * What can be uploaded. Streams are sent as they come, and files by path of more than 8 MB as they are read: neither is held
 * in memory.
 */
export type Content =
  | string
  | PlatformBlob
  | ArrayBuffer
  | ArrayBufferView
  | PlatformStream
  | AsyncIterable<Uint8Array | string>

export interface ContentSource {
  /** The content; either this or `path`. A stream is read once. */
  content?: Content | null | undefined
  /** The path of a file; Node only. */
  path?: string | null | undefined
}

/** @internal Opens content: of known length as a Blob, which is read only while it is sent; a stream as it is. */
export const openContent = async (
  { content, path }: ContentSource,
  mime: string,
): Promise<Blob | AsyncIterable<Uint8Array | string>> => {
  if (content === undefined || content === null) {
    if (path === undefined || path === null || path === '')
      throw invalidArgument('content, path: expected one of them to upload, got neither')
    return openPath(path, mime)
  }
  if (typeof content === 'string' || content instanceof ArrayBuffer || ArrayBuffer.isView(content))
    try {
      return new Blob([content as Uint8Array<ArrayBuffer>], { type: mime })
    } catch (error) {
      // As those of a buffer that was handed to a thread.
      throw invalidArgument(`content: expected bytes that can be read: ${(error as Error).message}`)
    }
  if (content instanceof Blob) return content
  if (wasRead(content))
    throw invalidArgument(
      'content: expected a stream to read, got one that somebody reads or has read',
    )
  if (content instanceof ReadableStream) return readAll(content)
  if (typeof content === 'object' && Symbol.asyncIterator in content) return content
  throw invalidArgument(
    'content: expected a stream, Buffer, File, Blob, ArrayBuffer or string to upload',
  )
}

/** Returns true for a stream that would be sent without what was read of it before: as nothing, if that was all. */
const wasRead = (content: object): boolean => {
  if ((content as ReadableStream).locked) return true
  const node = builtin('node:stream')
  return (
    node?.Readable.isDisturbed(content as never) === true &&
    node.isReadable(content as never) === false
  )
}

/** Size up to which a file is read at once. */
const MAX_SMALL = 8_000_000

const openPath = async (path: string, mime: string): Promise<Blob> => {
  if (typeof path !== 'string')
    throw invalidArgument('path: expected the path of a file as a string')
  const fs = builtin('node:fs')
  if (fs === undefined)
    throw invalidArgument('path: files can be read in Node only; pass their content')
  try {
    const stat = await fs.promises.stat(path)
    if (stat.isDirectory()) throw new Error('it is a folder')
    // A pipe has no size, and would be uploaded as nothing.
    if (!stat.isFile()) throw new Error('it is no file')
    // A file of the system, as in /proc, tells no size. A small one may grow while it is sent, as logs do.
    return stat.size > MAX_SMALL
      ? await fs.openAsBlob(path, { type: mime })
      : new Blob([(await fs.promises.readFile(path)) as Uint8Array<ArrayBuffer>], { type: mime })
  } catch (error) {
    throw invalidArgument(
      `path: no file can be read at ${JSON.stringify(path)}: ${(error as Error).message}`,
    )
  }
}

/** Not every browser can iterate over its streams. */
async function* readAll(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    // No effect on a stream that was read to its end; one that was left early is stopped.
    await reader.cancel().catch(() => undefined)
    reader.releaseLock()
  }
}

/** @internal Ends a stream that will not be read to its end. */
export const release = async ({ content }: ContentSource): Promise<void> => {
  if (content instanceof ReadableStream) {
    if (!content.locked) await content.cancel().catch(() => undefined)
  } else if (typeof content === 'object' && content !== null && 'destroy' in content)
    (content as { destroy: () => void }).destroy()
}

/** @internal Returns the name in the content: that of a File, or the last part of a path. */
export const nameOf = ({ content, path }: ContentSource): string | undefined => {
  if (content instanceof Blob && 'name' in content && typeof content.name === 'string')
    return content.name || undefined
  return (typeof path === 'string' && path.split(/[\\/]/).pop()) || undefined
}
