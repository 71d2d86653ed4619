/** A token of a Markdown text, as far as headings need it. */
interface HeadingToken {
  type: string
  text?: string | undefined
}

/** Returns the anchor of a heading, as code hosts make it: lower case, without punctuation, with hyphens for spaces. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-')

/** Returns the anchors of the headings of a text, in their order; equal ones are numbered. */
export const anchorsOf = (tokens: readonly HeadingToken[]): string[] => {
  const counts = new Map<string, number>()
  return tokens
    .filter(({ type }) => type === 'heading')
    .map(({ text = '' }) => {
      const anchor = anchorOf(text)
      const count = counts.get(anchor) ?? 0
      counts.set(anchor, count + 1)
      return count === 0 ? anchor : `${anchor}-${count}`
    })
}
