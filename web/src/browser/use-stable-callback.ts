import { useCallback, useRef } from 'react'

/** Returns a function that stays the same and calls the newest one: components that got it need no new rendering. */
export const useStableCallback = <Args extends unknown[], Result>(
  action: (...args: Args) => Result,
): ((...args: Args) => Result) => {
  const latest = useRef(action)
  latest.current = action
  return useCallback((...args: Args) => latest.current(...args), [])
}
