import { useRef } from 'react'
import type { Outline } from './outline.js'

/**
 * Returns the place of the step at which a page opens: the first that failed, else the first root. The page stays with
 * it when later steps fail, as its reader may be writing beside it.
 */
export const useOpening = (
  outline: Outline,
  failures: readonly number[],
  /** False while later steps are still to be read, which may have the first failure. */
  isWhole: boolean,
): number => {
  const opened = useRef<string>(undefined)
  const kept = opened.current === undefined ? -1 : outline.placeOf(opened.current)
  if (kept >= 0) return kept
  const place = failures[0] ?? (outline.count > 0 ? 0 : -1)
  if (isWhole || failures.length > 0) opened.current = outline.ids[place]
  return place
}
