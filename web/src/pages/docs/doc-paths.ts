/** Returns the file of an address: `/docs/guides` may be a page or the index of a folder. */
export const fileOf = (
  location: string,
  files: { has: (path: string) => boolean },
): string | undefined => {
  const path = location.replace(/^\/docs\/?/, '').replace(/\/$/, '')
  return [`${path}.md`, path === '' ? 'README.md' : `${path}/README.md`].find((file) =>
    files.has(file),
  )
}

/** Returns the address of a file. */
export const addressOf = (file: string): string =>
  `/docs/${file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '')}`.replace(/\/$/, '')

/** Returns the file that a link of another file names, and the anchor in it. */
export const resolveLink = (from: string, href: string): { file: string; anchor: string } => {
  const [path = '', anchor = ''] = href.split('#')
  if (path === '') return { file: from, anchor }
  const parts = from.split('/').slice(0, -1)
  for (const part of path.split('/'))
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part !== '.') parts.push(part)
  return { file: parts.join('/'), anchor }
}

const EXAMPLE_URL = /http:\/\/(127\.0\.0\.1|localhost):3000\b/g

/** Returns a snippet with the address of the service that shows it. */
export const withAddress = (code: string, origin: string): string =>
  code.replace(EXAMPLE_URL, origin)
