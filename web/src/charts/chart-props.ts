import type { ReactNode } from 'react'

export interface Line {
  name: string
  /** Null without measurements: the line breaks there. */
  values: readonly (number | null)[]
  /** The number of measurements in each bucket. */
  counts?: readonly number[]
}

export interface ChartProps {
  title: string
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
  /** Returns the link to the rows behind a bucket. */
  linkFor?: (start: number, end: number) => string
  onRange: (from: number, to: number) => void
  onReset: () => void
}
