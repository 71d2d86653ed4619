import { useSyncExternalStore } from 'react'

const onResize = (changed: () => void) => {
  window.addEventListener('resize', changed)
  return () => window.removeEventListener('resize', changed)
}

/** Returns the width of the window in pixels. */
export const useWidth = (): number => useSyncExternalStore(onResize, () => window.innerWidth)

const content = () => document.getElementById('content')

/** Follows the page itself: when the window is resized, or the rail is folded, the rail comes and goes only later. */
const onPageResize = (changed: () => void) => {
  const page = content()
  if (page === null) return onResize(changed)
  const observer = new ResizeObserver(changed)
  observer.observe(page)
  return () => observer.disconnect()
}

/** Returns the width of a page beside the rail. */
export const usePageWidth = (): number =>
  useSyncExternalStore(onPageResize, () => content()?.clientWidth ?? window.innerWidth)
