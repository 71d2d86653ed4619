import { followStream } from '../../model-calls/body/follow-stream.js'
import { isJson, textOf } from '../shared/json.js'

/** Hears of an answer, as the AI SDK reads it. */
export interface AnswerListener {
  /** A part came. */
  touch(): void
  /** The model told an error as a part of its answer, which goes on. */
  erred(error: unknown): void
  /** The stream failed, or was aborted. */
  failed(error: unknown): void
  /** The AI SDK wants no more of it. */
  cancelled(): void
}

/** Who listens to a stream: each client may. */
const listeners = new WeakMap<object, AnswerListener[]>()

/**
 * Listens to the stream that a model answered with, if it did: versions 5 and 6 of the AI SDK tell nobody of a stream that
 * fails, and version 7 not of errors that are parts of one.
 */
export const followAnswer = (result: unknown, listener: AnswerListener): void => {
  const stream = isJson(result) ? result.stream : undefined
  if (typeof ReadableStream !== 'function' || !(stream instanceof ReadableStream)) return
  const known = listeners.get(stream)
  if (known === undefined) follow(stream, listener)
  else known.push(listener)
}

const follow = (stream: ReadableStream<unknown>, first: AnswerListener): void => {
  const all = [first]
  listeners.set(stream, all)
  let owner: object | undefined
  const turn = {
    isOf: (reader: object) => {
      owner ??= reader
      return owner === reader
    },
  }
  const watcher = {
    piece: (part: unknown) => {
      for (const listener of all) listener.touch()
      if (!isJson(part) || part.type !== 'error') return
      for (const listener of all) listener.erred(readable(part.error))
    },
    whole: () => {},
    end: () => {},
    cancelled: () => {
      for (const listener of all) listener.cancelled()
    },
    // Another reader may read on.
    released: () => {},
    failed: (error: unknown) => {
      for (const listener of all) listener.failed(error)
    },
  }
  followStream(stream, watcher, turn, () => {})
}

/** Returns the text of an error that a provider sent as an object. */
const readable = (error: unknown): unknown =>
  isJson(error) && !(error instanceof Error) ? (textOf(error.message) ?? error) : error
