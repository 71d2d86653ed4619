import { builtin } from '../../builtin.js'
import { passOn } from '../../model-calls/body/pass-on.js'
import { type Context, withContext } from '../context.js'
import type { Endings } from './endings.js'
import { observeGenerator, type Turn, turnIn, Yielded } from './generator.js'
import { type AnyGenerator, kindOf } from './kind.js'
import { Listeners } from './listeners.js'

/** Observes a stream until its end without reading ahead of its reader. Returns it, or a replacement. */
export const observeSource = <Source extends object>(
  context: Context,
  source: Source,
  endings: Endings,
): Source => {
  if (kindOf(source) === 'generator')
    return observeGenerator(context, source as Source & AnyGenerator, endings)
  if (typeof ReadableStream === 'function' && source instanceof ReadableStream)
    return observeWebStream(context, source, endings) as object as Source
  if ('pipe' in source && 'on' in source) {
    observeNodeStream(source as object as NodeStream, endings)
    return source
  }
  if (Symbol.asyncIterator in source && Object.isExtensible(source)) {
    observeIterable(context, source as AsyncIterable<unknown>, endings)
    return source
  }
  throw new TypeError('until: expected a stream or something that is iterated asynchronously')
}

/** A stream of a model client: iterated, or read in two branches, or with an event at its end. */
interface Stream extends AsyncIterable<unknown> {
  tee?: (...values: unknown[]) => unknown
  on?: (event: string, listener: () => void) => unknown
  finalChatCompletion?: () => Promise<unknown>
  finalMessage?: () => Promise<unknown>
}

const iterated = new WeakMap<object, Listeners<Yielded>>()

const observeIterable = (context: Context, stream: Stream, endings: Endings): void => {
  const known = iterated.get(stream)
  const readers = known ?? new Listeners<Yielded>(context)
  readers.add(context, new Yielded(endings, true))
  if (known !== undefined) return
  iterated.set(stream, readers)
  const iterate = stream[Symbol.asyncIterator].bind(stream)
  let isIterated = false
  const replace = (name: string | symbol, value: (...values: unknown[]) => unknown) =>
    Object.defineProperty(stream, name, { configurable: true, writable: true, value })
  const { tee } = stream
  if (typeof tee === 'function')
    replace('tee', (...values) => {
      const branches = tee.apply(stream, values)
      // Whichever branch is read to its end first ends the step.
      for (const branch of branches as Stream[])
        readers.tell(({ endings }) => observeIterable(readers.context, branch, endings))
      return branches
    })
  if (typeof stream.on === 'function')
    stream.on('end', () => {
      if (isIterated) return
      const last = stream.finalChatCompletion ?? stream.finalMessage
      Promise.resolve(last?.call(stream)).then(
        (value) => readers.tell((yielded) => yielded.end(value)),
        (error) => readers.tell((yielded) => yielded.fail(error)),
      )
    })
  replace(Symbol.asyncIterator, () => {
    isIterated = true
    const iterator = iterate()
    const forward =
      (name: 'next' | 'return' | 'throw') =>
      (...values: unknown[]) =>
        turnIn(readers, () =>
          (iterator[name] as (...values: unknown[]) => Promise<Turn>).apply(iterator, values),
        )
    return {
      next: forward('next'),
      // Readers may stop early: the values read until then are the output.
      ...(iterator.return === undefined ? {} : { return: forward('return') }),
      ...(iterator.throw === undefined ? {} : { throw: forward('throw') }),
      [Symbol.asyncIterator]() {
        return this
      },
    }
  })
}

const observeWebStream = (
  context: Context,
  stream: ReadableStream<unknown>,
  endings: Endings,
): ReadableStream<unknown> => {
  const decoder = new TextDecoder()
  const yielded = new Yielded(endings, true)
  return passOn(
    stream,
    async (reader) => {
      try {
        const turn = await withContext(context, () => reader.read())
        const { done, value } = turn
        if (done) yielded.end()
        // Before it is passed on, which takes its bytes away.
        else
          yielded.keep(
            value instanceof Uint8Array ? decoder.decode(value, { stream: true }) : value,
          )
        return turn
      } catch (error) {
        yielded.fail(error)
        throw error
      }
    },
    () => yielded.end(),
  )
}

type NodeStream = NodeJS.ReadableStream & {
  readableEnded?: boolean
  destroyed?: boolean
  errored?: Error | null
}

const observeNodeStream = (stream: NodeStream, endings: Endings): void => {
  const yielded = new Yielded({ ...endings, done: () => endings.done(undefined) }, true)
  if (stream.errored) yielded.fail(stream.errored)
  else if (stream.readableEnded || stream.destroyed) yielded.end()
  stream.on('end', () => yielded.end())
  stream.on('close', () => yielded.end())
  // A normal error listener would keep an unhandled error from being thrown.
  const errorMonitor = builtin('node:events')?.errorMonitor
  if (errorMonitor !== undefined)
    stream.on(errorMonitor as unknown as string, (error) => yielded.fail(error))
}
