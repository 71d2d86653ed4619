/** A record of a source, of any form. */
export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a text that is not empty; undefined for anything else. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== ''
    ? value
    : typeof value === 'number' && Number.isFinite(value)
      ? String(value)
      : undefined

export const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** Returns the texts of a list. */
export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

/** Returns the objects of a list. */
export const listOf = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.filter(isFields) : []

/** Parses structure that a source keeps as text. */
export const parsed = (value: unknown): unknown => {
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Makes an object of a payload, as the service has no others: a text is `{content}`, any other value `{value}`. */
export const toPayload = (value: unknown): Record<string, unknown> | undefined => {
  if (value === undefined || value === null) return undefined
  if (isFields(value)) return { ...value }
  return typeof value === 'string' ? { content: value } : { value }
}

/** Returns the members that are there: neither undefined, null, nor empty. */
export const present = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== undefined &&
        value !== null &&
        value !== '' &&
        !(Array.isArray(value) && value.length === 0) &&
        !(isFields(value) && Object.keys(value).length === 0),
    ),
  )

/** Returns the members that a mapping does not know. */
export const unknownOf = (fields: Fields, known: ReadonlySet<string>): Record<string, unknown> =>
  present(Object.fromEntries(Object.entries(fields).filter(([name]) => !known.has(name))))

const ISO = /^(\d{4,6}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)?)? ?(Z|[+-]\d\d:?\d\d)?$/i

/**
 * Reads a moment: ISO 8601, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970, whichever falls in our
 * times. One without a zone is in UTC. Undefined when it is none.
 */
export const momentOf = (value: unknown): { moment: string; hadNoZone: boolean } | undefined => {
  if (typeof value === 'number' || (typeof value === 'string' && /^\d{10,20}$/.test(value)))
    return fromNumber(Number(value))
  if (typeof value !== 'string') return undefined
  const match = ISO.exec(value.trim())
  if (match === null) return undefined
  const [, day = '', time = '00:00:00', fraction = '', zone] = match
  const clock = time.length === 5 ? `${time}:00` : time
  const offset =
    zone === undefined || /^z$/i.test(zone) ? 'Z' : zone.replace(/^(...)(\d\d)$/, '$1:$2')
  const moment = `${day}T${clock}${fraction.slice(0, 7)}${offset}`
  return Number.isNaN(Date.parse(moment)) ? undefined : { moment, hadNoZone: zone === undefined }
}

const fromNumber = (value: number) => {
  const scale = value < 1e11 ? 1000 : value < 1e14 ? 1 : value < 1e17 ? 1e-3 : 1e-6
  const ms = value * scale
  if (!Number.isFinite(ms) || Math.abs(ms) > 8.64e15 || value <= 0) return undefined
  return { moment: new Date(ms).toISOString(), hadNoZone: false }
}

/** Gathers items by a key, in the order of their first. */
export const grouped = <Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Map<string, Item[]> => {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
