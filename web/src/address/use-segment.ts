import { useLocation } from 'wouter'
import { readSegment } from './segment.js'

/** The segments before those of a page: `/projects/:id`. */
const BEFORE = 3

/**
 * A segment of the path below the project, counted from 0, as it was before it was put into an address. The router gives
 * paths half decoded, which for an id with a percent sign in it is once too often.
 */
export const useSegment = (index: number): string => {
  // Only to be drawn again when it changes.
  useLocation()
  const raw = window.location.pathname.split('/')[BEFORE + index] ?? ''
  return readSegment(raw)
}
