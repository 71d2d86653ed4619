import { type RefObject, useCallback, useEffect, useRef } from 'react'

/**
 * Keeps the first visible entry where it is while others appear, grow or leave before it, in browsers that have no scroll
 * anchoring of their own. Those that have it come first: they count no layout shift then.
 */
export const useAnchor = (
  box: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
) => {
  const anchor = useRef<{ element: Element; top: number }>(undefined)
  /** Remembers the first visible entry, after a scroll. */
  const remember = useCallback(() => {
    const frame = box.current
    const list = content.current
    if (frame === null || list === null) return
    const { top } = frame.getBoundingClientRect()
    const entries = list.children
    // Entries are in order, so that half of them is left out at each step.
    let [low, high] = [0, entries.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((entries[middle]?.getBoundingClientRect().bottom ?? 0) > top) high = middle
      else low = middle + 1
    }
    const element = entries[low]
    anchor.current =
      element === undefined
        ? undefined
        : { element, top: element.getBoundingClientRect().top - top }
  }, [box, content])
  useEffect(() => {
    const frame = box.current
    const list = content.current
    if (frame === null || list === null) return
    // Runs after layout and before paint: nobody sees the entry away from its place.
    const observer = new ResizeObserver(() => {
      const { element, top } = anchor.current ?? {}
      if (element?.isConnected && top !== undefined)
        frame.scrollTop +=
          element.getBoundingClientRect().top - frame.getBoundingClientRect().top - top
      remember()
    })
    observer.observe(list)
    return () => observer.disconnect()
  }, [box, content, remember])
  return remember
}
