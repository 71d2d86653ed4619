import { useRef } from 'react'

/** Work that is not begun again while it is under way: a second press of a button, or a key that repeats, does nothing. */
export const useSingleFlight = <Args extends unknown[]>(
  work: (...args: Args) => Promise<unknown>,
): ((...args: Args) => Promise<void>) => {
  const isBusy = useRef(false)
  return async (...args) => {
    if (isBusy.current) return
    isBusy.current = true
    try {
      await work(...args)
    } finally {
      isBusy.current = false
    }
  }
}
