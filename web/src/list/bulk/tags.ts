/** Reads tags from a text, with commas between them. */
export const readTags = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
]

/** Returns the tags with some added or removed; undefined when that changes nothing. */
export const changedTags = (
  tags: readonly string[] | null,
  given: readonly string[],
  mode: 'add' | 'remove',
): string[] | undefined => {
  const before = tags ?? []
  const after =
    mode === 'add'
      ? [...before, ...given.filter((tag) => !before.includes(tag))]
      : before.filter((tag) => !given.includes(tag))
  return after.length === before.length ? undefined : after
}
