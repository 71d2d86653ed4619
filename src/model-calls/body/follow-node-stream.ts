import { type Method, replace, type Watcher } from './watcher.js'

/** A stream of Node, as far as it matters here. */
interface NodeStream {
  emit: Method
  read: Method
  on: Method
}

/** Returns true for a stream of Node, which is the body of answers in older libraries. */
export const isNodeStream = (body: unknown): body is NodeStream => {
  if (typeof body !== 'object' || body === null) return false
  const { emit, read, on } = body as Record<string, unknown>
  return typeof emit === 'function' && typeof read === 'function' && typeof on === 'function'
}

/** Returns true for the error by which Node closes a stream whose reader leaves it. */
const isLeft = (error: unknown): boolean => (error as { code?: unknown })?.code === 'ABORT_ERR'

/**
 * Listens to a stream of Node as it is read, in all ways that it can be read: each emits the pieces that it hands out. No
 * listener is added, as one would begin the reading.
 */
export const followNodeStream = (stream: NodeStream, watcher: Watcher): void => {
  let isOver = false
  const over = (tell: () => void): void => {
    if (!isOver) tell()
    isOver = true
  }
  replace(
    stream,
    'emit',
    (emit) =>
      function (this: object, ...values: unknown[]) {
        const [event, value] = values
        if (event === 'data' && !isOver) watcher.piece(value)
        else if (event === 'end') over(() => watcher.end())
        else if (event === 'close' || (event === 'error' && isLeft(value)))
          over(() => watcher.cancelled(value))
        else if (event === 'error') over(() => watcher.failed(value))
        return emit.apply(this, values)
      },
  )
}
