/** Reads tags from a text, with commas between them. */
export const readTags = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
]

type Mode = 'add' | 'remove'

/** Returns the tags with some added or removed; undefined when that changes nothing. */
export const changedTags = (
  tags: readonly string[] | null,
  given: readonly string[],
  mode: Mode,
): string[] | undefined => {
  const before = tags ?? []
  const after =
    mode === 'add'
      ? [...before, ...given.filter((tag) => !before.includes(tag))]
      : before.filter((tag) => !given.includes(tag))
  return after.length === before.length ? undefined : after
}

/** The tags of a row as they are stored. */
export interface StoredTags {
  /** Resolves to undefined when there is no such row. */
  read: (id: string) => Promise<readonly string[] | null | undefined>
  write: (id: string, tags: readonly string[]) => Promise<unknown>
}

/**
 * Adds tags to a row, or removes them. Reads its tags just before, as others may have changed them since the list was
 * read. Returns the function that takes back what this has changed, and no more; undefined when that is nothing.
 */
export const retag = async (
  { read, write }: StoredTags,
  id: string,
  given: readonly string[],
  mode: Mode,
): Promise<(() => Promise<unknown>) | undefined> => {
  const tags = await read(id)
  if (tags === undefined) throw new Error('It is not there any more.')
  const after = changedTags(tags, given, mode)
  if (after === undefined) return undefined
  await write(id, after)
  const wasThere = (tag: string) => tags?.includes(tag) ?? false
  return mode === 'add'
    ? () =>
        retag(
          { read, write },
          id,
          given.filter((tag) => !wasThere(tag)),
          'remove',
        )
    : () => retag({ read, write }, id, given.filter(wasThere), 'add')
}
