// Values of attributes as JSON. The few that JSON cannot hold get the form that OTLP/JSON has for them.
import type { Attributes } from './schema.js'

const INTEGER = 'intValue'
const DOUBLE = 'doubleValue'
const BYTES = 'bytesValue'
const MEMBERS = 'kvlistValue'
const FORMS: ReadonlySet<string> = new Set([INTEGER, DOUBLE, BYTES, MEMBERS])

/** Converts an integer of 64 bits: a number, or `{intValue: "…"}` where a double is not exact. */
export const fromInteger = (value: bigint): unknown => {
  const double = Number(value)
  return Number.isSafeInteger(double) ? double : { [INTEGER]: String(value) }
}

/** Converts a double: a number, or `{doubleValue: "NaN"}`, likewise infinities and -0. */
export const fromDouble = (value: number): unknown => {
  if (Object.is(value, -0)) return { [DOUBLE]: '-0' }
  return Number.isFinite(value) ? value : { [DOUBLE]: String(value) }
}

/** Returns `{bytesValue: "…"}`. */
export const fromBytes = (base64: string): unknown => ({ [BYTES]: base64 })

/**
 * Converts named values to an object; to `{kvlistValue: [{key, value}]}` when a name comes twice, or when the object
 * would look like one of these forms.
 */
export const fromMembers = (members: Attributes): Record<string, unknown> => {
  const { repeated } = members
  if (repeated === undefined && !(members.size === 1 && FORMS.has([...members.keys()][0] ?? '')))
    return Object.fromEntries(members)
  return { [MEMBERS]: listed([...(repeated ?? []), ...members]) }
}

/** Returns named values as a list of `{key, value}`, in which a name may come several times. */
export const listed = (members: readonly (readonly [string, unknown])[]) =>
  members.map(([key, value]) => ({ key, value }))
