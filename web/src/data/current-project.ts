import { ownPath } from '../format/base.js'

let current: string | undefined

/**
 * Chooses the project of all requests of this page. Another project is another page, loaded anew, so that nothing read
 * in one stays in memory beside the other.
 */
export const openProject = (id: string): void => {
  current = id
}

/** Returns the project that the address names; undefined where there is no address, as outside of a page. */
export const projectInAddress = (
  path = ownPath(globalThis.location?.pathname ?? ''),
): string | undefined => {
  const [, name] = /^\/projects\/([^/]+)/.exec(path) ?? []
  if (name === undefined) return undefined
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

export const currentProject = (): string | undefined => current ?? projectInAddress()

/** Returns the header by which the service chooses among the sessions of this browser. */
export const projectHeader = (): Record<string, string> => {
  const id = currentProject()
  return id === undefined ? {} : { 'x-project': encodeURIComponent(id) }
}
