import { builtin } from '../builtin.js'
import type { Watch } from './bound.js'
import { type Context, withContext } from './context.js'
import { followThenable } from './thenable.js'

export interface Endings {
  /** It is through; what a promise stands for, what a generator yielded. A promise is waited for before going on. */
  done: (output: unknown) => Promise<void> | undefined
  /** It failed; what it had yielded until then. */
  failed: (error: unknown, output?: unknown) => void
  /** The most characters of what is yielded that are kept for the output. */
  most: number
  /** Called once something is yielded over time, with a way to see what came so far. */
  begun: (soFar: () => unknown) => void
  /** Waits for somebody who may never come, for as long as that may take, and calls back then. */
  watch: (onEnd: () => void) => Watch
}

/**
 * Tells when a result is through: at once, when its promise settles, or when its generator ends. Gives it, or what stands
 * for it.
 */
export const observeResult = (context: Context, result: object, endings: Endings): unknown => {
  const kind = kindOf(result)
  if (kind === 'promise') return followPromise(context, result as Promise<unknown>, endings)
  if (kind === 'thenable')
    return followThenable(context, result as PromiseLike<unknown>, endings, { answer, value })
  if (kind === 'generator') return followGenerator(context, result as AnyGenerator, endings)
  void endings.done(result)
  return result
}

/** Follows what a method of a promise gave: another promise may be the one that is waited for. */
const answer = (context: Context, given: unknown, endings: Endings): unknown => {
  if (typeof given !== 'object' || given === null) return given
  const kind = kindOf(given)
  return kind === 'promise' || kind === 'thenable' ? observeResult(context, given, endings) : given
}

/** Takes what a promise stood for. */
const value = (context: Context, given: unknown, endings: Endings): Promise<void> | undefined => {
  if (!isGenerator(given)) return endings.done(given)
  followGenerator(context, given, endings)
  return undefined
}

type Kind = 'promise' | 'thenable' | 'generator' | 'value'

/** Looking at it may throw: there are proxies that know a few names only. */
const kindOf = (value: object): Kind => {
  try {
    // One with methods of its own, as model clients have, is more than a promise.
    if (value instanceof Promise) return value.constructor === Promise ? 'promise' : 'thenable'
    const tag = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag]
    if (tag === 'AsyncGenerator' || tag === 'Generator') return 'generator'
    return 'then' in value && typeof value.then === 'function' ? 'thenable' : 'value'
  } catch {
    return 'value'
  }
}

/** Whether a result is more than a value that is there. */
export const isFollowed = (result: object): boolean => kindOf(result) !== 'value'

const followPromise = (
  context: Context,
  promise: Promise<unknown>,
  endings: Endings,
): Promise<unknown> =>
  promise.then(
    (given) => {
      const ready = value(context, given, endings)
      return ready === undefined ? given : ready.then(() => given)
    },
    (error) => {
      endings.failed(error)
      throw error
    },
  )

type AnyGenerator = Generator | AsyncGenerator
type Turn = IteratorResult<unknown>

const isGenerator = (value: unknown): value is AnyGenerator =>
  typeof value === 'object' && value !== null && kindOf(value) === 'generator'

/** What was yielded, as far as it is kept; the end is told once, whichever way it comes. */
class Yielded {
  readonly #endings: Endings
  readonly #watch: Watch | undefined
  #values: unknown[] = []
  #left: number
  #isOver = false

  /** One that `mayStay` unread does not keep its step open for ever. */
  constructor(endings: Endings, mayStay = false) {
    this.#endings = endings
    this.#left = endings.most
    endings.begun(() => this.#soFar())
    if (mayStay) this.#watch = endings.watch(() => this.end())
  }

  note(turn: Turn): void {
    if (turn.done) this.end(turn.value)
    else this.keep(turn.value)
  }

  keep(value: unknown): void {
    this.#watch?.touch()
    if (this.#left <= 0) return
    this.#left -= typeof value === 'string' ? value.length + 1 : 64
    this.#values.push(value)
  }

  end(returned?: unknown): void {
    if (!this.#ends()) return
    const output = this.#soFar()
    void this.#endings.done(
      returned === undefined
        ? (output ?? [])
        : output === undefined
          ? returned
          : { output, returned },
    )
    this.#values = []
  }

  fail(error: unknown): void {
    if (!this.#ends()) return
    this.#endings.failed(error, this.#soFar())
    this.#values = []
  }

  #ends(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#watch?.stop()
    return true
  }

  /** Pieces of a text are put together; other values stay a list. */
  #soFar(): unknown {
    const values = this.#values
    if (values.length === 0) return undefined
    return values.every((value) => typeof value === 'string') ? values.join('') : [...values]
  }
}

/** An iterator's turn, in a frame. */
const turnIn = (
  context: Context,
  yielded: Yielded,
  turn: () => Turn | PromiseLike<Turn>,
): Turn | PromiseLike<Turn> => {
  try {
    const result = withContext(context, turn)
    if (!('then' in result)) {
      yielded.note(result)
      return result
    }
    return result.then(
      (settled) => {
        yielded.note(settled)
        return settled
      },
      (error) => {
        yielded.fail(error)
        throw error
      },
    )
  } catch (error) {
    yielded.fail(error)
    throw error
  }
}

/**
 * A generator runs in the context of whoever asks for its next value. Here each turn runs in its own frame, and the end
 * of the last one is the end of the work.
 */
const followGenerator = <Result extends AnyGenerator>(
  context: Context,
  generator: Result,
  endings: Endings,
): Result => {
  const yielded = new Yielded(endings)
  if (!Object.isExtensible(generator)) {
    yielded.end()
    return generator
  }
  for (const name of ['next', 'return', 'throw'] as const) {
    const original = generator[name].bind(generator) as (
      ...values: unknown[]
    ) => Turn | PromiseLike<Turn>
    Object.defineProperty(generator, name, {
      configurable: true,
      writable: true,
      value: (...values: unknown[]) => turnIn(context, yielded, () => original(...values)),
    })
  }
  return generator
}

/** Follows a stream to its end, without reading more of it than whoever it is for. Gives it, or one in its place. */
export const followSource = <Source extends object>(
  context: Context,
  source: Source,
  endings: Endings,
): Source => {
  if (kindOf(source) === 'generator')
    return followGenerator(context, source as Source & AnyGenerator, endings)
  if (typeof ReadableStream === 'function' && source instanceof ReadableStream)
    return followWebStream(context, source, endings) as object as Source
  if ('pipe' in source && 'on' in source) {
    followNodeStream(source as object as NodeStream, endings)
    return source
  }
  if (Symbol.asyncIterator in source && Object.isExtensible(source)) {
    observeIterable(context, source as AsyncIterable<unknown>, endings)
    return source
  }
  throw new TypeError('until: expected a stream or something that is iterated asynchronously')
}

/** What model clients stream by: it is iterated, or read in two branches, or it is its events that tell of the end. */
interface Stream extends AsyncIterable<unknown> {
  tee?: (...values: unknown[]) => unknown
  on?: (event: string, listener: () => void) => unknown
  finalChatCompletion?: () => Promise<unknown>
  finalMessage?: () => Promise<unknown>
}

const observeIterable = (context: Context, stream: Stream, endings: Endings): void => {
  const yielded = new Yielded(endings, true)
  const iterate = stream[Symbol.asyncIterator].bind(stream)
  let isIterated = false
  const replace = (name: string | symbol, value: (...values: unknown[]) => unknown) =>
    Object.defineProperty(stream, name, { configurable: true, writable: true, value })
  const { tee } = stream
  if (typeof tee === 'function')
    replace('tee', (...values) => {
      const branches = tee.apply(stream, values)
      // The branch that is read to its end first is as good as the other.
      for (const branch of branches as Stream[]) observeIterable(context, branch, endings)
      return branches
    })
  if (typeof stream.on === 'function')
    stream.on('end', () => {
      if (isIterated) return
      const last = stream.finalChatCompletion ?? stream.finalMessage
      Promise.resolve(last?.call(stream)).then(
        (value) => yielded.end(value),
        (error) => yielded.fail(error),
      )
    })
  replace(Symbol.asyncIterator, () => {
    isIterated = true
    const iterator = iterate()
    const forward =
      (name: 'next' | 'return' | 'throw') =>
      (...values: unknown[]) =>
        turnIn(context, yielded, () =>
          (iterator[name] as (...values: unknown[]) => Promise<Turn>).apply(iterator, values),
        )
    return {
      next: forward('next'),
      // Whoever reads may stop early; what was read until then is the output.
      ...(iterator.return === undefined ? {} : { return: forward('return') }),
      ...(iterator.throw === undefined ? {} : { throw: forward('throw') }),
      [Symbol.asyncIterator]() {
        return this
      },
    }
  })
}

const followWebStream = (
  context: Context,
  stream: ReadableStream<unknown>,
  endings: Endings,
): ReadableStream<unknown> => {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  const yielded = new Yielded(endings, true)
  let isCancelled = false
  return new ReadableStream<unknown>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await withContext(context, () => reader.read())
          if (isCancelled) return
          if (done) {
            yielded.end()
            controller.close()
            return
          }
          yielded.keep(
            value instanceof Uint8Array ? decoder.decode(value, { stream: true }) : value,
          )
          controller.enqueue(value)
        } catch (error) {
          yielded.fail(error)
          if (!isCancelled) controller.error(error)
        }
      },
      cancel: async (reason) => {
        isCancelled = true
        yielded.end()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

type NodeStream = NodeJS.ReadableStream & {
  readableEnded?: boolean
  destroyed?: boolean
  errored?: Error | null
}

const followNodeStream = (stream: NodeStream, endings: Endings): void => {
  const yielded = new Yielded({ ...endings, done: () => endings.done(undefined) }, true)
  if (stream.errored) yielded.fail(stream.errored)
  else if (stream.readableEnded || stream.destroyed) yielded.end()
  stream.on('end', () => yielded.end())
  stream.on('close', () => yielded.end())
  // Listening for errors in the usual way would keep one that nobody else handles from being thrown.
  const errorMonitor = builtin('node:events')?.errorMonitor
  if (errorMonitor !== undefined)
    stream.on(errorMonitor as unknown as string, (error) => yielded.fail(error))
}
