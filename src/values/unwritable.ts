import { invalidArgument } from '../errors.js'
import { isPlain } from './fit.js'

/** Levels of parameters that hold fields of the service; deeper ones hold the application's own values. */
const MAX_DEPTH = 2

/**
 * Rejects dates that are none, and a `value` that is no finite number, in parameters and in the objects of their lists:
 * as JSON they would be null, and taken for no value.
 */
export const refuseUnwritable = (place: string, value: unknown, depth = 0): void => {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) refuseUnwritable(`${place}[${index}]`, item, depth)
  else if (value instanceof Date) {
    if (Number.isNaN(value.getTime()))
      throw invalidArgument(`${place}: expected a valid Date, got ${value}`)
  } else if (typeof value === 'number') {
    if (/(^|\.)value$/.test(place) && !Number.isFinite(value))
      throw invalidArgument(`${place}: expected a finite number, got ${value}`)
  } else if (isPlain(value) && depth < MAX_DEPTH)
    for (const [key, member] of Object.entries(value))
      refuseUnwritable(place === '' ? key : `${place}.${key}`, member, depth + 1)
}
