/** The way in which a result arrives: a `value` is there at once. */
export type Kind = 'promise' | 'thenable' | 'generator' | 'value'

/** Returns the kind of a result. May throw: some proxies reject unknown names. */
export const kindOf = (value: object): Kind => {
  try {
    // An object with methods of its own, as model clients return, is more than a promise.
    if (value instanceof Promise) return value.constructor === Promise ? 'promise' : 'thenable'
    const tag = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag]
    if (tag === 'AsyncGenerator' || tag === 'Generator') return 'generator'
    return 'then' in value && typeof value.then === 'function' ? 'thenable' : 'value'
  } catch {
    return 'value'
  }
}

export type AnyGenerator = Generator | AsyncGenerator

export const isGenerator = (value: unknown): value is AnyGenerator =>
  typeof value === 'object' && value !== null && kindOf(value) === 'generator'
