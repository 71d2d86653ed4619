import { isObject } from './rows.js'

/** Sets a member of an object; also one with a name that objects have, such as `__proto__`. */
const setMember = (object: object, name: string, value: unknown): void => {
  Object.defineProperty(object, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

/** Sets a member that is not there, or has this value. Returns false for one that has another value, which stays. */
export const setOnce = (object: object, name: string, value: unknown): boolean => {
  const before: unknown = Object.getOwnPropertyDescriptor(object, name)?.value
  if (before !== undefined) return JSON.stringify(before) === JSON.stringify(value)
  setMember(object, name, value)
  return true
}

/** Objects that were made here, and are no part of a row. */
const OWN = new WeakSet<object>()

/** Sets the value at a path of an object. Returns the path at which another value is in the way, or undefined. */
export const setAt = (
  object: Record<string, unknown>,
  path: readonly string[],
  value: unknown,
): string | undefined => {
  let inside = object
  for (const [depth, name] of path.slice(0, -1).entries()) {
    const next = Object.hasOwn(inside, name) ? inside[name] : {}
    if (!isObject(next)) return path.slice(0, depth + 1).join('.')
    // An object of the row itself is copied, once: it must be the same for another mapping.
    const own = OWN.has(next) ? next : { ...next }
    if (own !== next) {
      OWN.add(own)
      setMember(inside, name, own)
    }
    inside = own
  }
  return setOnce(inside, path.at(-1) ?? '', value) ? undefined : path.join('.')
}
