import { isObject } from './rows.js'

/** Sets a member of an object; also one with a name that objects have, such as `__proto__`. */
export const setMember = (object: object, name: string, value: unknown): void => {
  Object.defineProperty(object, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

/** Sets the value at a path of an object. Returns the path at which a value is in the way, or undefined. */
export const setAt = (
  object: Record<string, unknown>,
  path: readonly string[],
  value: unknown,
): string | undefined => {
  let inside = object
  for (const [depth, name] of path.slice(0, -1).entries()) {
    const next = Object.hasOwn(inside, name) ? inside[name] : {}
    if (!isObject(next)) return path.slice(0, depth + 1).join('.')
    setMember(inside, name, next)
    inside = next
  }
  setMember(inside, path.at(-1) ?? '', value)
  return undefined
}
