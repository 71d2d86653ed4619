import type { Report } from './report.js'
import type { Target } from './target.js'

/** A part of an import, which stores what it reads page by page. */
export interface Stage {
  name: string
  /**
   * Reads and stores from a place on; yields the next place each time that all before it is stored. A stage without places
   * is done as a whole, each time.
   */
  run: (from: unknown) => AsyncIterable<unknown>
  /** True for a stage that later ones need: it is done each time. */
  isAlways?: boolean
}

/** The target and the report of a stage. */
export interface Work {
  target: Target
  report: Report
}

/** A product, or a file of it, that is imported in stages. */
export type Source = (work: Work) => Promise<readonly Stage[]> | readonly Stage[]
