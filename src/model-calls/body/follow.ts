import { followNodeStream, isNodeStream } from './follow-node-stream.js'
import { followStream } from './follow-stream.js'
import { replace, type Turn, type Watcher } from './watcher.js'

/**
 * Listens to an answer's body as the application reads it. The answer stays the same object, with methods that tell of
 * what they return: nothing is read that the application does not read, and nothing is held back. Returns false for an
 * answer whose body can't be followed.
 */
export const follow = (response: Response, watcher: Watcher): boolean => {
  let owner: object | undefined
  const turn: Turn = {
    isOf: (reader) => {
      owner ??= reader
      return owner === reader
    },
  }
  return followCopy(response, watcher, turn)
}

const WHOLE = ['text', 'json', 'arrayBuffer', 'bytes', 'blob', 'formData']

const followCopy = (response: Response, watcher: Watcher, turn: Turn): boolean => {
  const body: unknown = response.body
  if (isNodeStream(body)) {
    followNodeStream(body, watcher)
    return true
  }
  if (body === undefined && typeof response.text === 'function') {
    // There are platforms whose answers have no stream.
    for (const name of WHOLE) followWhole(response, name, watcher, turn)
    return true
  }
  if (typeof ReadableStream !== 'function' || !(body instanceof ReadableStream)) return false
  let isTeed = false
  followStream(body, watcher, turn, () => {
    isTeed = true
  })
  if (!readsByReader()) for (const name of WHOLE) followWhole(response, name, watcher, turn)
  replace(response, 'clone', (clone) => () => {
    isTeed = false
    const copy: Response = clone.call(response)
    // Engines that copy by the stream's own `tee` are heard by it.
    if (!isTeed)
      for (const one of [copy, response])
        try {
          followCopy(one, watcher, turn)
        } catch {
          // It stays as it is, and is not heard.
        }
    return copy
  })
  return true
}

let isByReader: boolean | undefined

/** Returns true in engines whose answers are read through a reader of their stream, which is heard already: in Node. */
const readsByReader = (): boolean => {
  if (isByReader !== undefined) return isByReader
  isByReader = false
  try {
    const response = new Response('x')
    if (response.body !== null)
      replace(response.body, 'getReader', (getReader) => (...values) => {
        isByReader = true
        return getReader.apply(response.body, values)
      })
    response.text().catch(() => {})
  } catch {
    // It is not known, and the methods are heard.
  }
  return isByReader
}

const followWhole = (response: Response, name: string, watcher: Watcher, turn: Turn): void =>
  replace(response, name, (read) => () => {
    // It will fail, and says nothing of the body.
    if (response.bodyUsed || response.body?.locked || !turn.isOf(response))
      return read.call(response)
    return read.call(response).then(
      (value: unknown) => {
        watcher.whole(value)
        return value
      },
      (error: unknown) => {
        watcher.failed(error)
        throw error
      },
    )
  })
