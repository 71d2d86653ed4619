import type { Instant } from '../../kernel/instant.js'
import type { MeasurementRow, Range } from '../../storage/metrics.js'
import { startOf } from './range.js'

/** Series that are shown separately; the others are summed into one. */
export const MAX_SERIES = 5

/** The figures of a bucket, or of the whole range. */
export interface Measurement {
  start: Instant | null
  count: number
  errorCount: number
  p50: number | null
  p95: number | null
  p99: number | null
  inputTokens: number | null
  outputTokens: number | null
  tokens: number | null
  cost: number | null
  unpricedCount: number
  mean: number | null
  deviation: number | null
}

export interface Series {
  key: string | null
  isRest: boolean
  total: Measurement
  buckets: Measurement[]
}

/** Replaces numbers that GraphQL cannot represent by null. */
export const finite = (value: number | null | undefined): number | null =>
  value != null && Number.isFinite(value) ? value : null

export const toMeasurement = (row: MeasurementRow, range: Range): Measurement => ({
  start: row.bucket === null ? null : startOf(row.bucket, range),
  count: row.count,
  errorCount: row.errorCount,
  p50: finite(row.percentiles?.[0]),
  p95: finite(row.percentiles?.[1]),
  p99: finite(row.percentiles?.[2]),
  inputTokens: row.inputTokens,
  outputTokens: row.outputTokens,
  tokens: row.tokens,
  cost: row.cost,
  unpricedCount: row.unpriced,
  mean: null,
  deviation: null,
})

export const toSeries = (
  rows: readonly MeasurementRow[],
  measurementOf: (row: MeasurementRow) => Measurement,
): Series[] =>
  rows
    .filter(({ bucket }) => bucket === null)
    .sort(
      (a, b) =>
        Number(a.isRest) - Number(b.isRest) ||
        b.count - a.count ||
        ((a.key ?? '') < (b.key ?? '') ? -1 : 1),
    )
    .map((total) => ({
      key: total.key,
      isRest: total.isRest,
      total: measurementOf(total),
      buckets: rows
        .filter(
          (row) => row.bucket !== null && row.key === total.key && row.isRest === total.isRest,
        )
        .map(measurementOf),
    }))
