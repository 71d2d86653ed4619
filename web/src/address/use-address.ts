import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'

export type Changes = Record<string, string | null | undefined>

export interface Address {
  get: (name: string) => string | undefined
  /** Returns a parameter that may also be empty, which differs from an absent one. */
  getText: (name: string) => string | undefined
  /**
   * Changes parameters: null removes one, as an empty text does without `keepsEmpty`. `replace` makes no entry in the
   * history. Does nothing once the page has been left, as work that ends late would lead back to it.
   */
  set: (changes: Changes, options?: { replace?: boolean; keepsEmpty?: boolean }) => void
  /** Returns the address after some changes, for links. */
  link: (changes: Changes) => string
}

const changed = (search: string, changes: Changes, keepsEmpty = false): string => {
  const parameters = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes))
    if (value == null || (value === '' && !keepsEmpty)) parameters.delete(name)
    else parameters.set(name, value)
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** Reads and changes the parameters of the address. They are the whole state of a page: the same link shows the same. */
export const useAddress = (): Address => {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const isLeft = useRef(false)
  useEffect(() => {
    isLeft.current = false
    return () => {
      isLeft.current = true
    }
  }, [])
  // Read raw, as the router decodes its copy, and percent signs would be decoded twice.
  // The router's copy tells when to read again.
  const parameters = useMemo(() => new URLSearchParams(window.location.search), [search])
  return {
    get: useCallback((name) => parameters.get(name) || undefined, [parameters]),
    getText: useCallback((name) => parameters.get(name) ?? undefined, [parameters]),
    set: useCallback(
      (changes, options) => {
        if (isLeft.current) return
        // Read again, as several parts of a page may change it at once.
        navigate(`${path}${changed(window.location.search, changes, options?.keepsEmpty)}`, {
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
