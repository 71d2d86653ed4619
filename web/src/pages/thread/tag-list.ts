/** Tags in one line of text: in quotes where a comma, a quote or space at an end would be lost. */
export const showTags = (tags: readonly string[]): string =>
  tags
    .map((tag) =>
      tag === '' || tag !== tag.trim() || /[",\\]/.test(tag)
        ? `"${tag.replace(/["\\]/g, '\\$&')}"`
        : tag,
    )
    .join(', ')

/** The tags of a line; reading what is shown gives them back. */
export const readTags = (text: string): string[] =>
  [...text.matchAll(/\s*(?:"((?:\\[\s\S]|[^"\\])*)"\s*(?=,|$)|([^,]*))(?:,|$)/g)].flatMap(
    ([, quoted, plain = '']) =>
      quoted !== undefined
        ? [quoted.replace(/\\([\s\S])/g, '$1')]
        : plain.trim() === ''
          ? []
          : [plain.trim()],
  )
