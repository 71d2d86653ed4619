import { invalidArgument } from '../errors.js'

/** Levels of parameters that hold fields of the service; deeper ones hold the application's own values. */
const MAX_DEPTH = 2

/** A value at fault: its place in the value that was searched, and the problem. */
interface Fault {
  place: string
  problem: string
}

/**
 * Rejects dates that are none, and a `value` that is no finite number, in parameters and in the objects of their lists:
 * as JSON they would be null, and taken for no value. The content of a file is not read: it may be gigabytes.
 */
export const refuseUnwritable = (place: string, value: unknown): void => {
  const fault = faultIn(value, place, 0)
  if (fault !== undefined)
    throw invalidArgument(`${join(place, fault.place) || 'parameters'}: expected ${fault.problem}`)
}

/** Places are written only for a fault: a value may have millions of members. */
const faultIn = (value: unknown, name: string | undefined, depth: number): Fault | undefined => {
  if (typeof value === 'number')
    return name === 'value' && !Number.isFinite(value)
      ? { place: '', problem: `a finite number, got ${value}` }
      : undefined
  if (!isObject(value)) return undefined
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const fault = faultIn(value[index], undefined, depth)
      if (fault !== undefined) return { ...fault, place: join(`[${index}]`, fault.place) }
    }
    return undefined
  }
  if (value instanceof Date)
    return Number.isNaN(value.getTime())
      ? { place: '', problem: `a valid Date, got ${value}` }
      : undefined
  if (depth === MAX_DEPTH || ArrayBuffer.isView(value)) return undefined
  for (const key of Object.keys(value)) {
    if (depth === 0 && key === 'content') continue
    const fault = faultIn((value as Record<string, unknown>)[key], key, depth + 1)
    if (fault !== undefined) return { ...fault, place: join(key, fault.place) }
  }
  return undefined
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const join = (outer: string, inner: string): string =>
  outer === '' || inner === '' || inner.startsWith('[') ? outer + inner : `${outer}.${inner}`
