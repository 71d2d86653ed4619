/** Entries of metadata that group items where nothing is said. */
const GROUPS = ['group', 'threadId']

/** Returns the group that an item's metadata states: the first of some entries that it has; `undefined` without one. */
export const groupIn = (
  metadata: unknown,
  names: readonly string[] = GROUPS,
): string | undefined => {
  if (typeof metadata !== 'object' || metadata === null) return undefined
  for (const name of names) {
    const value = Object.hasOwn(metadata, name)
      ? (metadata as Record<string, unknown>)[name]
      : undefined
    if (value !== undefined && value !== null)
      return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
  return undefined
}
