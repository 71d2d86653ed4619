import { passOn } from './pass-on.js'
import { both, type Method, replace, replacer, type Turn, type Watcher } from './watcher.js'

/** One turn of a reader or an iterator. */
interface Turned {
  done?: boolean
  value?: unknown
}

/** A stream that is listened to. */
interface Followed {
  watcher: Watcher
  turn: Turn
  /** Called when the stream is divided into branches. */
  onTee: () => void
  stream: object
  /** True while there may be more behind the last piece. */
  isUnderWay: boolean
  /** Notes a turn, and an error, and passes it on: made once, as they are called for each piece. */
  noted: (one: Turned) => Turned
  threw: (error: unknown) => never
}

/** Holds a stream's, a reader's or an iterator's state: faster than a map, and in no list of members. */
const FOLLOWED = Symbol('stepwell.followed')

const followedOf = (target: object): Followed => (target as { [FOLLOWED]: Followed })[FOLLOWED]

/** Lets a second one listen to a stream, such as a client around another one's `fetch`. */
const share = (followed: Followed, watcher: Watcher, onTee: () => void): void => {
  const { watcher: first, onTee: before } = followed
  followed.watcher = both(first, watcher)
  followed.onTee = () => {
    before()
    onTee()
  }
}

const mark = (target: object, followed: Followed): void => {
  Object.defineProperty(target, FOLLOWED, { value: followed })
}

const isMine = ({ turn, stream }: Followed): boolean => turn.isOf(stream)

const note = (followed: Followed, { done, value }: Turned): void => {
  if (!isMine(followed)) return
  followed.isUnderWay = !done
  // A reader with a buffer of its own gets it back at the end.
  if (done) followed.watcher.end()
  else followed.watcher.piece(value)
}

const failed = (followed: Followed, error: unknown): void => {
  followed.isUnderWay = false
  if (isMine(followed)) followed.watcher.failed(error)
}

const cancelled = (followed: Followed, reason: unknown): void => {
  followed.isUnderWay = false
  if (isMine(followed)) followed.watcher.cancelled(reason)
}

const noting = (original: Method): Method =>
  function (this: object, ...values) {
    const { noted, threw } = followedOf(this)
    return original.apply(this, values).then(noted, threw)
  }

const cancelling = (original: Method): Method =>
  function (this: object, ...values) {
    cancelled(followedOf(this), values[0])
    return original.apply(this, values)
  }

const releasing = (original: Method): Method =>
  function (this: object, ...values) {
    const result: unknown = original.apply(this, values)
    const followed = followedOf(this)
    // Some clients leave a stream by this alone.
    if (followed.isUnderWay && isMine(followed)) {
      followed.isUnderWay = false
      followed.watcher.released()
    }
    return result
  }

const followReader = replacer({ read: noting, cancel: cancelling, releaseLock: releasing })

const reading = (original: Method): Method =>
  function (this: object, ...values) {
    const reader: object = original.apply(this, values)
    mark(reader, followedOf(this))
    followReader(reader)
    return reader
  }

const iterating = (original: Method): Method =>
  function (this: object, ...values) {
    const iterator: object = original.apply(this, values)
    mark(iterator, followedOf(this))
    // Its methods are its own in some engines, and its class's in others.
    replace(iterator, 'next', noting)
    replace(iterator, 'return', cancelling)
    return iterator
  }

const piping = (original: Method): Method =>
  function (this: ReadableStream<unknown>, ...values) {
    return original.apply(this.locked ? this : passedOn(this), values)
  }

const followMethods = replacer({
  getReader: reading,
  values: iterating,
  [Symbol.asyncIterator]: iterating,
  pipeTo: piping,
  pipeThrough: piping,
  cancel: (original) =>
    function (this: ReadableStream<unknown>, reason) {
      if (!this.locked) cancelled(followedOf(this), reason)
      return original.call(this, reason)
    },
  tee: (original) =>
    function (this: ReadableStream<unknown>) {
      if (this.locked) return original.call(this)
      followedOf(this).onTee()
      return passedOn(this).tee()
    },
})

/**
 * Listens to a stream as it is read, in all ways that it can be read: by readers, by iteration, by pipes and in branches.
 * Readers and iterators are the stream's own; pipes and branches, which engines build without them, get a stream that
 * passes on each piece when it is asked for.
 */
export const followStream = (
  stream: ReadableStream<unknown>,
  watcher: Watcher,
  turn: Turn,
  onTee: () => void,
): void => {
  const known = followedOf(stream)
  if (known !== undefined) {
    share(known, watcher, onTee)
    return
  }
  const followed: Followed = {
    watcher,
    turn,
    onTee,
    stream,
    isUnderWay: false,
    noted: (one) => {
      note(followed, one)
      return one
    },
    threw: (error) => {
      failed(followed, error)
      throw error
    },
  }
  mark(stream, followed)
  followMethods(stream)
}

const passedOn = (stream: ReadableStream<unknown>): ReadableStream<unknown> =>
  passOn(
    stream,
    // It notes what it reads.
    (reader) => reader.read(),
    () => {},
    // Also while nobody asks for a piece, as behind a pipe whose end is read slowly.
    (reader) => reader.closed.catch((error) => failed(followedOf(stream), error)),
  )
