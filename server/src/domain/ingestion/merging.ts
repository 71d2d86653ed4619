import { isObject } from '../values.js'

/** Returns a key for a pair. With the length in front no two pairs share a key, whatever characters the ids contain. */
export const keyOf = (projectId: string, id: string): string =>
  `${projectId.length}:${projectId}${id}`

/** Puts a later write over an earlier one of the same row; its nulls keep the earlier values. */
export const overlay = <Write extends object>(earlier: Write, later: Write): Write => ({
  ...earlier,
  ...(Object.fromEntries(
    Object.entries(later).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  ) as Write),
})

/**
 * Puts new keys over the stored ones. A key whose value is null is removed; null instead of an object clears
 * everything.
 */
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

/**
 * Metadata that changes are merged into one after another, by the rule of `mergeMetadata`. The cost of each depends on
 * the change only, however much is there already, and the size is known after each.
 */
export class MergedMetadata {
  #members: Map<string, { value: unknown; bytes: number }> | null
  #bytes = 0

  constructor(stored: unknown) {
    this.#members = isObject(stored) ? new Map() : null
    for (const [key, value] of isObject(stored) ? Object.entries(stored) : []) this.#set(key, value)
  }

  /**
   * Merges a change, unless the result would have too many bytes of JSON: then returns how many. Null clears
   * everything.
   */
  merge(given: Record<string, unknown> | null, mostBytes: number): number | undefined {
    if (given === null) {
      this.#members = null
      this.#bytes = 0
      return undefined
    }
    const { bytes, count } = this.#measure(Object.entries(given))
    // Braces, and a comma between members.
    const size = bytes + Math.max(count - 1, 0) + 2
    if (size > mostBytes) return size
    this.#members ??= new Map()
    this.#put(Object.entries(given))
    return undefined
  }

  value(): Record<string, unknown> | null {
    if (this.#members === null) return null
    return Object.fromEntries([...this.#members].map(([key, { value }]) => [key, value]))
  }

  /** Returns the size with these members. */
  #measure(given: readonly [string, unknown][]): { bytes: number; count: number } {
    let bytes = this.#bytes
    let count = this.#members?.size ?? 0
    for (const [key, value] of given) {
      const earlier = this.#members?.get(key)
      bytes -= earlier?.bytes ?? 0
      if (earlier !== undefined) count--
      if (value === null) continue
      bytes += bytesOf(key, value)
      count++
    }
    return { bytes, count }
  }

  #put(given: readonly [string, unknown][]): void {
    for (const [key, value] of given) {
      if (value !== null) this.#set(key, value)
      else {
        this.#bytes -= this.#members?.get(key)?.bytes ?? 0
        this.#members?.delete(key)
      }
    }
  }

  #set(key: string, value: unknown): void {
    const bytes = bytesOf(key, value)
    this.#bytes += bytes - (this.#members?.get(key)?.bytes ?? 0)
    this.#members?.set(key, { value, bytes })
  }
}

const bytesOf = (key: string, value: unknown): number =>
  Buffer.byteLength(JSON.stringify(key)) + 1 + Buffer.byteLength(JSON.stringify(value) ?? '')
