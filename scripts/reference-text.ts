/** Joins a text of several lines to one. */
export const inLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Escapes a text for a cell of a table. */
export const cell = (text: string): string => inLine(text).replace(/\|/g, '\\|')

/** Returns a page as it is written to its file. */
export const tidy = (page: string): string =>
  `${page
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`
