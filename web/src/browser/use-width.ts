import { useSyncExternalStore } from 'react'

const subscribe = (changed: () => void) => {
  window.addEventListener('resize', changed)
  document.addEventListener('stepwell-fold', changed)
  return () => {
    window.removeEventListener('resize', changed)
    document.removeEventListener('stepwell-fold', changed)
  }
}

/** The width of the window in pixels. */
export const useWidth = (): number => useSyncExternalStore(subscribe, () => window.innerWidth)

/** The width that a page has beside the rail. */
export const usePageWidth = (): number =>
  useSyncExternalStore(
    subscribe,
    () => document.getElementById('content')?.clientWidth ?? window.innerWidth,
  )
