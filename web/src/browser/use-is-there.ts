import { useEffect, useRef } from 'react'

/** Returns a function that tells whether a component is still in the page, for work that ends later. */
export const useIsThere = (): (() => boolean) => {
  const isThere = useRef(true)
  useEffect(() => {
    isThere.current = true
    return () => {
      isThere.current = false
    }
  }, [])
  return () => isThere.current
}
