/** A text of several lines in one. */
export const inLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A text that may stand in a cell of a table. */
export const cell = (text: string): string => inLine(text).replace(/\|/g, '\\|')

/** A page as it is written to its file. */
export const tidy = (page: string): string =>
  `${page
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`
