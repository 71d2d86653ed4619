import { useRef } from 'react'

/**
 * Returns the work guarded against a second start while it is under way: a second press or a repeated key does nothing.
 */
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
