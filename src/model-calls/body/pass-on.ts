/** One turn of a reader. */
interface Turned {
  done?: boolean
  value?: unknown
}

type Reader = ReadableStreamDefaultReader<unknown>

/** Returns a stream of the same kind with the same pieces, which reads only when it is read. */
export const passOn = (
  stream: ReadableStream<unknown>,
  read: (reader: Reader) => PromiseLike<Turned>,
  cancelled: () => void,
  opened?: (reader: Reader) => void,
): ReadableStream<unknown> => {
  const isOfBytes = takesBuffers(stream)
  const reader = stream.getReader()
  opened?.(reader)
  let isCancelled = false
  const pull = async (controller: ReadableStreamDefaultController<unknown>): Promise<void> => {
    try {
      const { done, value } = await read(reader)
      if (isCancelled) return
      if (!done) {
        controller.enqueue(value)
        return
      }
      controller.close()
      const { byobRequest } = controller as {
        byobRequest?: { respond(bytes: number): void } | null
      }
      byobRequest?.respond(0)
    } catch (error) {
      if (!isCancelled) controller.error(error)
    }
  }
  const cancel = (reason: unknown): Promise<void> => {
    isCancelled = true
    cancelled()
    return reader.cancel(reason)
  }
  return isOfBytes
    ? (new ReadableStream({ type: 'bytes', pull, cancel } as never) as ReadableStream<unknown>)
    : new ReadableStream<unknown>({ pull, cancel }, { highWaterMark: 0 })
}

/** Returns true for a stream whose readers may bring a buffer. */
const takesBuffers = (stream: ReadableStream<unknown>): boolean => {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock()
    return true
  } catch {
    return false
  }
}
