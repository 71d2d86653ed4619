/** Writes tags in one line: in quotes if a comma, a quote or space at an end would be lost. */
export const showTags = (tags: readonly string[]): string =>
  tags
    .map((tag) =>
      tag === '' || tag !== tag.trim() || /[",\\]/.test(tag)
        ? `"${tag.replace(/["\\]/g, '\\$&')}"`
        : tag,
    )
    .join(', ')

/** Reads the tags of a line; the inverse of `showTags`. */
export const readTags = (text: string): string[] =>
  [...text.matchAll(/\s*(?:"((?:\\[\s\S]|[^"\\])*)"\s*(?=,|$)|([^,]*))(?:,|$)/g)].flatMap(
    ([, quoted, plain = '']) =>
      quoted !== undefined
        ? [quoted.replace(/\\([\s\S])/g, '$1')]
        : plain.trim() === ''
          ? []
          : [plain.trim()],
  )
