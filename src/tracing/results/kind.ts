/** The way in which a result arrives: a `value` is there at once. */
export type Kind = 'promise' | 'thenable' | 'generator' | 'value'

/** Returns the kind of a result. May throw: some proxies reject unknown names. */
export const kindOf = (value: object): Kind => {
  try {
    // An object with members of its own, as model clients return, is more than a promise.
    if (value instanceof Promise)
      return value.constructor === Promise && !Reflect.ownKeys(value).some(isMember)
        ? 'promise'
        : 'thenable'
    const tag = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag]
    if (tag === 'AsyncGenerator' || tag === 'Generator') return 'generator'
    return 'then' in value && typeof value.then === 'function' ? 'thenable' : 'value'
  } catch {
    return 'value'
  }
}

/** Tells members that an application gives a promise from the symbols by which Node keeps its context. */
const isMember = (key: string | symbol): boolean =>
  typeof key === 'string' || key === Symbol.asyncIterator

export type AnyGenerator = Generator | AsyncGenerator

export const isGenerator = (value: unknown): value is AnyGenerator =>
  typeof value === 'object' && value !== null && kindOf(value) === 'generator'
