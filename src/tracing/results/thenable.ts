import { anyContext, type Context, withContext } from '../context.js'
import type { Endings } from './endings.js'

type Method = (this: unknown, ...values: unknown[]) => unknown
type Observe = (context: Context, given: unknown, endings: Endings) => unknown

/**
 * Observes a promise with methods of its own, or a query that starts its work when it is awaited, without awaiting it:
 * its methods are patched to report calls. It still rejects, or never starts, as it would have.
 */
export const observeThenable = (
  context: Context,
  source: PromiseLike<unknown>,
  endings: Endings,
  observe: { answer: Observe; value: Observe },
): unknown => {
  // Methods call one another: only calls from outside count.
  let isInside = false
  let isOver = false
  const watch = endings.watch(() => once.done(undefined))
  const end = <Value>(tell: () => Value): Value | undefined => {
    if (isOver) return undefined
    isOver = true
    watch.stop()
    return tell()
  }
  const once: Endings = {
    ...endings,
    done: (output) => end(() => endings.done(output)),
    failed: (error, output) => end(() => endings.failed(error, output)),
    // One watch serves all callers.
    watch: () => ({ touch: () => {}, stop: () => {} }),
  }
  const within = (work: () => unknown): unknown => {
    isInside = true
    try {
      return withContext(context, work)
    } finally {
      isInside = false
    }
  }
  const heard =
    (method: Method): Method =>
    (...values) => {
      if (isInside) return method.apply(source, values)
      const answer = within(() => method.apply(source, values))
      return answer === source ? answer : observe.answer(context, answer, once)
    }
  const { then } = source
  const asked: Method = (onDone, onFailed) => {
    if (isInside) return then.call(source, onDone as never, onFailed as never)
    const around = anyContext()
    return within(() =>
      then.call(
        source,
        (value) => {
          if (!isOver) void observe.value(context, value, once)
          return typeof onDone === 'function' ? withContext(around, () => onDone(value)) : value
        },
        (error) => {
          once.failed(error)
          if (typeof onFailed === 'function') return withContext(around, () => onFailed(error))
          throw error
        },
      ),
    )
  }
  try {
    for (const [name, method] of methodsOf(source)) replace(source, name, heard(method))
    replace(source, 'then', asked)
    if (typeof (source as Partial<Promise<unknown>>).catch === 'function')
      replace(source, 'catch', (onFailed) => source.then(undefined, onFailed as never))
    return source
  } catch {
    // It is frozen and cannot be patched: it is awaited here, at most once unless it is a promise.
    if (!(source instanceof Promise))
      return observe.answer(
        context,
        new Promise((resolve, reject) => then.call(source, resolve, reject)),
        once,
      )
    then.call(source, (value) => observe.value(context, value, once), once.failed)
    return source
  }
}

/** Returns the methods that a class adds to those of promises. */
const methodsOf = (source: object): [string, Method][] => {
  const methods: [string, Method][] = []
  if (!(source instanceof Promise)) return methods
  let prototype = Object.getPrototypeOf(source)
  for (; prototype !== Promise.prototype; prototype = Object.getPrototypeOf(prototype))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
      if (typeof value === 'function' && name !== 'constructor') methods.push([name, value])
  return methods
}

const replace = (source: object, name: string, value: Method): void => {
  Object.defineProperty(source, name, { configurable: true, writable: true, value })
}
