import type { ReactNode } from 'react'

export interface Line {
  name: string
  /** Null without measurements: the line breaks there. */
  values: readonly (number | null)[]
  /** The number of measurements in each bucket. */
  counts?: readonly number[]
}

/** A link to rows, named by them: `12 failed steps`. */
export interface RowsLink {
  href: string
  text: string
}

export interface ChartProps {
  title: string
  /** The length of a bucket, or the values that a point stands for. */
  unit?: string
  /** The finding in words. */
  caption: string
  /** The start of each bucket, in seconds since 1970. */
  starts: readonly number[]
  bucketSeconds: number
  lines: readonly Line[]
  show: (value: number | null | undefined) => string
  isLog?: boolean
  /** Shown above the drawing when newer data could not be read. */
  problem?: ReactNode
  kind?: 'lines' | 'bars'
  /** Stacks bars, which together are the whole. Else they overlap. */
  isStacked?: boolean
  /** True for percentiles, of which a line through few values would prove nothing. */
  needsMany?: boolean
  /** Returns the link to the rows behind a bucket, by its number; undefined when there are none. */
  linkFor?: (bucket: number) => RowsLink | undefined
  /** Buttons beside the title. */
  actions?: ReactNode
  /** Said in place of the drawing when nothing was measured. */
  emptyText?: string | undefined
  onRange: (from: number, to: number) => void
  onReset: () => void
}
