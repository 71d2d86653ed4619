import { anyContext, type Context, withContext } from '../context.js'
import type { Endings } from './endings.js'
import { Listeners } from './listeners.js'

type Method = (this: unknown, ...values: unknown[]) => unknown
type Observe = (context: Context, given: unknown, endings: Endings) => unknown

/** One who waits for the end of a thenable, whose endings are called at most once. */
interface Asker extends Endings {
  onOver: () => void
}

const patched = new WeakMap<object, Listeners<Asker>>()

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
  const asker = askerOf(endings)
  const known = patched.get(source)
  if (known !== undefined) {
    known.add(context, asker)
    return source
  }
  const askers = new Listeners<Asker>(context)
  const { then } = source
  // Methods call one another: only calls from outside count.
  let isInside = false
  const within = (work: () => unknown): unknown => {
    isInside = true
    try {
      return withContext(askers.context, work)
    } finally {
      isInside = false
    }
  }
  // A proxy has the members of the method, such as those by which a test asks for its calls.
  const heard = (method: Method): Method =>
    new Proxy(method, {
      apply: (_, __, values) => {
        if (isInside) return method.apply(source, values)
        const all = allOf(askers)
        const answer = within(() => method.apply(source, values))
        if (answer === source || askers.isEmpty) return answer
        return observe.answer(askers.context, answer, all)
      },
    })
  const asked: Method = (onDone, onFailed) => {
    if (isInside) return then.call(source, onDone as never, onFailed as never)
    const around = anyContext()
    const all = allOf(askers)
    const ask = () =>
      then.call(
        source,
        (value) => {
          if (!askers.isEmpty) void observe.value(askers.context, value, all)
          return typeof onDone === 'function' ? withContext(around, () => onDone(value)) : value
        },
        (error) => {
          all.failed(error)
          if (typeof onFailed === 'function') return withContext(around, () => onFailed(error))
          throw error
        },
      )
    try {
      return within(ask)
    } catch (error) {
      all.failed(error)
      throw error
    }
  }
  try {
    const methods = methodsOf(source)
    replace(source, 'then', asked)
    for (const [name, method] of methods) replace(source, name, heard(method))
    // `await` calls `then` only of a promise whose constructor is not that of the platform.
    if (source instanceof Promise && source.constructor === Promise)
      replace(source, 'constructor', new Proxy(Promise, {}))
    if (typeof (source as Partial<Promise<unknown>>).catch === 'function')
      replace(source, 'catch', (onFailed: unknown) => source.then(undefined, onFailed as never))
    patched.set(source, askers)
    askers.add(context, asker)
    return source
  } catch {
    // It is frozen and cannot be patched: it is awaited here, at most once unless it is a promise.
    if (!(source instanceof Promise))
      return observe.answer(
        context,
        new Promise((resolve, reject) => then.call(source, resolve, reject)),
        asker,
      )
    then.call(source, (value) => observe.value(context, value, asker), asker.failed)
    return source
  }
}

const NO_WATCH = { touch: () => {}, stop: () => {} }

/** Returns endings that are called once, by whichever comes first: the end, or silence. */
const askerOf = (endings: Endings): Asker => {
  let isOver = false
  const end = <Value>(tell: () => Value): Value | undefined => {
    if (isOver) return undefined
    isOver = true
    watch.stop()
    asker.onOver()
    return tell()
  }
  const asker: Asker = {
    ...endings,
    done: (output) => end(() => endings.done(output)),
    failed: (error, output) => end(() => endings.failed(error, output)),
    // One watch serves all callers.
    watch: () => NO_WATCH,
    onOver: () => {},
  }
  const watch = endings.watch(() => asker.done(undefined))
  return asker
}

/** Returns the endings of all who wait for a thenable now, as one. */
const allOf = (askers: Listeners<Asker>): Endings => {
  const { made } = askers
  return {
    get most() {
      let most = 0
      askers.tell((asker) => {
        most = Math.max(most, asker.most)
      })
      return most
    },
    done: (output) => {
      const ready: Promise<void>[] = []
      askers.tell((asker) => {
        const one = asker.done(output)
        if (one !== undefined) ready.push(one)
      }, made)
      return ready.length === 0 ? undefined : Promise.all(ready).then(() => {})
    },
    failed: (error, output) => askers.tell((asker) => asker.failed(error, output), made),
    begun: (soFar) => askers.tell((asker) => asker.begun(soFar), made),
    watch: () => NO_WATCH,
  }
}

/** Returns the methods that an object or its class adds to those of promises, with those of the object first. */
const methodsOf = (source: object): Map<string, Method> => {
  const methods = new Map<string, Method>()
  if (!(source instanceof Promise)) return methods
  for (let of = source; of !== Promise.prototype; of = Object.getPrototypeOf(of))
    for (const [name, one] of Object.entries(Object.getOwnPropertyDescriptors(of))) {
      const { value, configurable } = one
      if (name === 'constructor' || name === 'then' || typeof value !== 'function') continue
      // One that can't be replaced stays as it is.
      if ((configurable || of !== source) && !methods.has(name)) methods.set(name, value)
    }
  return methods
}

const replace = (source: object, name: string, value: unknown): void => {
  Object.defineProperty(source, name, { configurable: true, writable: true, value })
}
