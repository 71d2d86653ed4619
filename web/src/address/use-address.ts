import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

export type Changes = Record<string, string | null | undefined>

export interface Address {
  get: (name: string) => string | undefined
  /** Changes parameters: null and an empty text remove one. `replace` makes no entry in the history. */
  set: (changes: Changes, options?: { replace?: boolean }) => void
  /** Where some changes would lead, for links. */
  link: (changes: Changes) => string
}

const changed = (search: string, changes: Changes): string => {
  const parameters = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes))
    if (value == null || value === '') parameters.delete(name)
    else parameters.set(name, value)
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** What the address of the page says. It is the whole state of a page: whoever opens it sees the same. */
export const useAddress = (): Address => {
  const [path, navigate] = useLocation()
  const search = useSearch()
  // Read raw, as the router decodes what it gives, and percent signs would be decoded twice.
  // What the router gives says when to read again.
  const parameters = useMemo(() => new URLSearchParams(window.location.search), [search])
  return {
    get: useCallback((name) => parameters.get(name) || undefined, [parameters]),
    set: useCallback(
      (changes, options) => {
        // Read anew, as several parts of a page may change it in one go.
        navigate(`${path}${changed(window.location.search, changes)}`, {
          replace: options?.replace ?? false,
        })
      },
      [navigate, path],
    ),
    link: useCallback(
      (changes) => `${path}${changed(parameters.toString(), changes)}`,
      [path, parameters],
    ),
  }
}
