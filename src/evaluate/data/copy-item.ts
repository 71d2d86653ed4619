import type { EvalItem } from './item.js'

/**
 * Copies an item for an attempt of the task, which may change what it gets: agents add to the messages of their input. Lists
 * and plain objects are copied, with what is inside; everything else has a form of its own, and stays the same object.
 */
export const copyItem = (item: EvalItem): EvalItem => {
  const copies = new Map<object, unknown>()
  return {
    ...item,
    input: copyOf(item.input, copies),
    expected: copyOf(item.expected, copies),
    metadata: copyOf(item.metadata, copies) as EvalItem['metadata'],
  }
}

const copyOf = (value: unknown, copies: Map<object, unknown>): unknown => {
  if (typeof value !== 'object' || value === null) return value
  const known = copies.get(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) {
    const copy: unknown[] = []
    copies.set(value, copy)
    for (const item of value) copy.push(copyOf(item, copies))
    return copy
  }
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const copy: object = Object.create(prototype)
  copies.set(value, copy)
  for (const [key, member] of Object.entries(value))
    Object.defineProperty(copy, key, {
      value: copyOf(member, copies),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  return copy
}
