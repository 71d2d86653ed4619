import { useCallback, useRef } from 'react'

/** A function that stays the same and does what the newest one does: parts that got it need not be drawn anew. */
export const useStableCallback = <Args extends unknown[], Result>(
  action: (...args: Args) => Result,
): ((...args: Args) => Result) => {
  const latest = useRef(action)
  latest.current = action
  return useCallback((...args: Args) => latest.current(...args), [])
}
