import type { Position } from './cursor.js'

/** The number of rows and the time after which a search gives up. */
export interface SearchLimits {
  searchRows: number
  searchMs: number
}

/** The portions in which a search reads. */
export interface SearchSizes {
  /** Rows that the first statement reads: few, as most pages are full soon. */
  firstWindow: number
  /** Rows that a statement reads at most. */
  largestWindow: number
  /** Rows after which other indexes may be tried; while the page fills quickly, reading on is cheaper. */
  probeAfterRows: number
  /** Up to so many candidates are read all at once and sorted. */
  maxCandidates: number
  /** Number of rows that are sorted for an order without an index. */
  sorted: number
  /** Time after which a statement is ended, and fewer rows are tried, as theirs may be large. Waiting does not count. */
  windowMs?: number
}

export const SEARCH_SIZES: SearchSizes = {
  firstWindow: 1000,
  largestWindow: 8000,
  probeAfterRows: 40_000,
  maxCandidates: 5000,
  sorted: 100_000,
  windowMs: 1000,
}

export interface Found {
  positions: Position[]
  examined: number
  /** False when the search gave up before it had enough. */
  isComplete: boolean
}
