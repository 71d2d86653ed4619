import { type RefObject, useEffect, useRef, useState } from 'react'

/** Returns the width of an element, and follows its changes. */
export const useElementWidth = (element: RefObject<HTMLElement | null>): number => {
  const [width, setWidth] = useState(300)
  const seen = useRef(0)
  useEffect(() => {
    const current = element.current
    if (current === null) return
    const observer = new ResizeObserver(([entry]) => {
      const next = Math.round(entry?.contentRect.width ?? 0)
      if (next > 0 && next !== seen.current) {
        seen.current = next
        setWidth(next)
      }
    })
    observer.observe(current)
    return () => observer.disconnect()
  })
  return width
}
