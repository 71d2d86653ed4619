import type { ReactNode } from 'react'

export interface Line {
  name: string
  /** Null where nothing was measured: the line breaks there. */
  values: readonly (number | null)[]
  /** How many were measured in each bucket. */
  counts?: readonly number[]
}

export interface ChartProps {
  title: string
  /** The finding, for whoever does not see the chart. */
  caption: string
  /** When each bucket began, in seconds since 1970. */
  starts: readonly number[]
  bucketSeconds: number
  lines: readonly Line[]
  show: (value: number | null | undefined) => string
  isLog?: boolean
  /** Stands above what is drawn when something newer could not be read. */
  problem?: ReactNode
  kind?: 'lines' | 'bars'
  /** Bars stand on one another: together they are the whole. Else they stand before one another. */
  isStacked?: boolean
  /** Where the rows behind a bucket are. */
  linkFor?: (start: number, end: number) => string
  onRange: (from: number, to: number) => void
  onReset: () => void
}
