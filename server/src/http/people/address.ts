const MAX_CHARACTERS = 2000

/**
 * Returns the page to go on with, as a path of this service; the root when it is none. Browsers drop tabs and line breaks,
 * take backslashes for slashes, and resolve dots, so that texts that seem to be paths may lead elsewhere.
 */
export const ownPath = (given: string | undefined, origin: string): string => {
  if (given === undefined || !given.startsWith('/') || given.length > MAX_CHARACTERS) return '/'
  const base = new URL(origin).origin
  if (!URL.canParse(given, base)) return '/'
  const { origin: to, pathname, search, hash } = new URL(given, base)
  return to === base && !/^\/(\/|api\/)/.test(pathname) ? `${pathname}${search}${hash}` : '/'
}

/** Returns the project that a page is of, by the address; undefined when it is of none. */
export const projectOf = (path: string): string | undefined => {
  const [, name] = /^\/projects\/([^/?#]+)/.exec(path) ?? []
  if (name === undefined) return undefined
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}
