import { builtin } from '../builtin.js'
import { type Frame, runIn } from './context.js'

export interface Endings {
  /** It is through; what a promise stands for, what a generator yielded. A promise is waited for before going on. */
  done: (output: unknown) => Promise<void> | undefined
  failed: (error: unknown) => void
  /** The most characters of what is yielded that are kept for the output. */
  most: number
}

/**
 * Tells when a result is through: at once, when its promise settles, or when its generator ends. Gives it, or what stands
 * for it.
 */
export const followResult = (frame: Frame, result: object, endings: Endings): unknown => {
  const kind = kindOf(result)
  if (kind === 'promise') return followPromise(frame, result as Promise<unknown>, endings)
  if (kind === 'thenable')
    // What starts its work when it is asked for the result, as queries do, is asked once.
    return followPromise(
      frame,
      new Promise((resolve, reject) => (result as PromiseLike<unknown>).then(resolve, reject)),
      endings,
    )
  if (kind === 'richPromise') {
    // A promise with methods of its own, as model clients have: it is given on as it is.
    ;(result as Promise<unknown>).then(endings.done, endings.failed).then(undefined, () => {})
    return result
  }
  if (kind === 'generator') return followGenerator(frame, result as AnyGenerator, endings)
  void endings.done(result)
  return result
}

type Kind = 'promise' | 'richPromise' | 'thenable' | 'generator' | 'value'

/** Looking at it may throw: there are proxies that know a few names only. */
const kindOf = (value: object): Kind => {
  try {
    if (value instanceof Promise) return value.constructor === Promise ? 'promise' : 'richPromise'
    const tag = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag]
    if (tag === 'AsyncGenerator' || tag === 'Generator') return 'generator'
    return 'then' in value && typeof value.then === 'function' ? 'thenable' : 'value'
  } catch {
    return 'value'
  }
}

const followPromise = (
  frame: Frame,
  promise: Promise<unknown>,
  endings: Endings,
): Promise<unknown> =>
  promise.then(
    (value) => {
      if (typeof value === 'object' && value !== null && kindOf(value) === 'generator')
        return followGenerator(frame, value as AnyGenerator, endings)
      const ready = endings.done(value)
      return ready === undefined ? value : ready.then(() => value)
    },
    (error) => {
      endings.failed(error)
      throw error
    },
  )

type AnyGenerator = Generator | AsyncGenerator
type Turn = IteratorResult<unknown>

/** What was yielded, as far as it is kept; the end is told once, whichever way it comes. */
class Yielded {
  readonly #endings: Endings
  #values: unknown[] = []
  #left: number
  #isOver = false

  constructor(endings: Endings) {
    this.#endings = endings
    this.#left = endings.most
  }

  note(turn: Turn): void {
    if (turn.done) this.end()
    else this.keep(turn.value)
  }

  keep(value: unknown): void {
    if (this.#left <= 0) return
    this.#left -= typeof value === 'string' ? value.length + 1 : 64
    this.#values.push(value)
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    const values = this.#values
    this.#values = []
    // Pieces of a text are put together; other values stay a list.
    const isText = values.length > 0 && values.every((value) => typeof value === 'string')
    void this.#endings.done(isText ? values.join('') : values)
  }

  fail(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#endings.failed(error)
  }
}

/** An iterator's turn, in a frame. */
const turnIn = (
  frame: Frame,
  yielded: Yielded,
  turn: () => Turn | PromiseLike<Turn>,
): Turn | PromiseLike<Turn> => {
  try {
    const result = runIn(frame, turn)
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
  frame: Frame,
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
      value: (...values: unknown[]) => turnIn(frame, yielded, () => original(...values)),
    })
  }
  return generator
}

/** Follows a stream to its end, without reading more of it than whoever it is for. Gives it, or one in its place. */
export const followSource = <Source extends object>(
  frame: Frame,
  source: Source,
  endings: Endings,
): Source => {
  if (kindOf(source) === 'generator')
    return followGenerator(frame, source as Source & AnyGenerator, endings)
  if (typeof ReadableStream === 'function' && source instanceof ReadableStream)
    return followWebStream(frame, source, endings) as object as Source
  if ('pipe' in source && 'on' in source) {
    followNodeStream(source as object as NodeStream, endings)
    return source
  }
  if (Symbol.asyncIterator in source && Object.isExtensible(source)) {
    followIterable(frame, source as AsyncIterable<unknown>, endings)
    return source
  }
  throw new TypeError('until: expected a stream or something that is iterated asynchronously')
}

const followIterable = (frame: Frame, iterable: AsyncIterable<unknown>, endings: Endings): void => {
  const yielded = new Yielded(endings)
  const iterate = iterable[Symbol.asyncIterator].bind(iterable)
  Object.defineProperty(iterable, Symbol.asyncIterator, {
    configurable: true,
    writable: true,
    value: () => {
      const iterator = iterate()
      const forward =
        (name: 'next' | 'return' | 'throw') =>
        (...values: unknown[]) =>
          turnIn(frame, yielded, () =>
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
    },
  })
}

const followWebStream = (
  frame: Frame,
  stream: ReadableStream<unknown>,
  endings: Endings,
): ReadableStream<unknown> => {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  const yielded = new Yielded(endings)
  let isCancelled = false
  return new ReadableStream<unknown>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await runIn(frame, () => reader.read())
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
  const yielded = new Yielded({ ...endings, done: () => endings.done(undefined) })
  if (stream.errored) yielded.fail(stream.errored)
  else if (stream.readableEnded || stream.destroyed) yielded.end()
  stream.on('end', () => yielded.end())
  stream.on('close', () => yielded.end())
  // Listening for errors in the usual way would keep one that nobody else handles from being thrown.
  const errorMonitor = builtin('node:events')?.errorMonitor
  if (errorMonitor !== undefined)
    stream.on(errorMonitor as unknown as string, (error) => yielded.fail(error))
}
