/** A JSON object. */
export type Json = Record<string, unknown>

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a text that is not empty; undefined for anything else. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Returns the objects of a list; none for anything else. */
export const objectsOf = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter(isJson) : []

/** Parses JSON; returns undefined for a text that is none. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses JSON; returns the text itself where it is none. */
export const parsedOr = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns a copy without some members, and without those that are undefined. */
export const without = (value: Json, names: ReadonlySet<string>): Json | undefined => {
  const copy: Json = {}
  let isEmpty = true
  for (const name in value) {
    if (names.has(name) || value[name] === undefined) continue
    copy[name] = value[name]
    isEmpty = false
  }
  return isEmpty ? undefined : copy
}
