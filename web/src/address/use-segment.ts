import { useLocation } from 'wouter'
import { ownPath } from '../format/base.js'
import { readSegment } from './segment.js'

/** The segments before those of a page: `/projects/:id`. */
const BEFORE = 3

/**
 * Returns a segment of the path below the project, counted from 0, decoded. The router's paths are half decoded, which
 * is once too often for an id with a percent sign.
 */
export const useSegment = (index: number): string => {
  // Renders again when it changes.
  useLocation()
  const raw = ownPath(window.location.pathname).split('/')[BEFORE + index] ?? ''
  return readSegment(raw)
}
