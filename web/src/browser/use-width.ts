import { useSyncExternalStore } from 'react'

const subscribe = (changed: () => void) => {
  window.addEventListener('resize', changed)
  document.addEventListener('stepwell-fold', changed)
  return () => {
    window.removeEventListener('resize', changed)
    document.removeEventListener('stepwell-fold', changed)
  }
}

/** Returns the width of the window in pixels. */
export const useWidth = (): number => useSyncExternalStore(subscribe, () => window.innerWidth)

/** Returns the width of a page beside the rail. */
export const usePageWidth = (): number =>
  useSyncExternalStore(
    subscribe,
    () => document.getElementById('content')?.clientWidth ?? window.innerWidth,
  )
