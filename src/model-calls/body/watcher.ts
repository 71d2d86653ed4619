/** Hears of the body of an answer, as the application reads it. */
export interface Watcher {
  /** A piece, before the application has it: its bytes may be taken away afterwards. */
  piece(value: unknown): void
  /** The whole body, as a text, as bytes or as a value. */
  whole(value: unknown): void
  end(): void
  /** The application wants no more of it. */
  cancelled(reason: unknown): void
  /** The application released its reader before the end. More may come, should it take another one. */
  released(): void
  failed(error: unknown): void
}

/** Returns a watcher that tells two others of all that it hears. */
export const both = (one: Watcher, other: Watcher): Watcher => {
  const telling =
    (name: keyof Watcher) =>
    (value?: unknown): void => {
      one[name](value)
      other[name](value)
    }
  return {
    piece: telling('piece'),
    whole: telling('whole'),
    end: telling('end'),
    cancelled: telling('cancelled'),
    released: telling('released'),
    failed: telling('failed'),
  }
}

/** The reader that is listened to: an answer may be copied, and only one copy counts. */
export interface Turn {
  /** Returns true for the first one who asks, and only for that one. */
  isOf(reader: object): boolean
}

// biome-ignore lint/suspicious/noExplicitAny: methods of the platform, whatever their parameters
export type Method = (this: any, ...values: any[]) => any

/** Makes methods in place of those that an object has by its class. */
export type Methods = Readonly<Record<string | symbol, (original: Method) => Method>>

/** Replaces a method of one object, invisibly to those who list its members. */
export const replace = (
  target: object,
  name: string | symbol,
  make: (original: Method) => Method,
): void => {
  const original: unknown = (target as Record<string | symbol, unknown>)[name]
  if (typeof original !== 'function') return
  Object.defineProperty(target, name, {
    value: make(original as Method),
    configurable: true,
    writable: true,
  })
}

/**
 * Returns a function that replaces several methods of one object, by a prototype between it and its class: in engines,
 * methods of its own would cost many times as much.
 */
export const replacer = (methods: Methods): ((target: object) => void) => {
  const prototypes = new WeakMap<object, object>()
  return (target) => {
    const before: object = Object.getPrototypeOf(target)
    let prototype = prototypes.get(before)
    if (prototype === undefined) {
      prototype = Object.create(before) as object
      for (const name of Reflect.ownKeys(methods)) {
        const make = methods[name as string]
        if (make !== undefined) replace(prototype, name, make)
      }
      prototypes.set(before, prototype)
    }
    Object.setPrototypeOf(target, prototype)
  }
}
