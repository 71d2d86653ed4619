import { isObject } from './values.js'

/** With the length in front no two pairs share a key, whatever characters ids hold. */
export const keyOf = (projectId: string, id: string): string =>
  `${projectId.length}:${projectId}${id}`

/** A later write over an earlier one of the same row: its nulls keep what is there. */
export const overlay = <Write extends object>(earlier: Write, later: Write): Write => ({
  ...earlier,
  ...(Object.fromEntries(
    Object.entries(later).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  ) as Write),
})

/** New keys over the stored ones; a key whose value is null goes away. Null clears everything. */
export const mergeMetadata = (
  stored: unknown,
  given: Record<string, unknown> | null,
): Record<string, unknown> | null =>
  given === null
    ? null
    : Object.fromEntries(
        Object.entries({ ...(isObject(stored) ? stored : {}), ...given }).filter(
          ([key, value]) => !(value === null && Object.hasOwn(given, key)),
        ),
      )
