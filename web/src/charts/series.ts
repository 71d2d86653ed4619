import type { MetricSubject } from '../../../generated/schema.js'
import { atLeast, dollars } from '../format/money.js'
import { count, percent, plural, score as showScore } from '../format/number.js'
import { duration } from '../format/time.js'
import type { Line } from './chart-props.js'
import type { Measurement, Series } from './use-measure.js'

/** The metric of a chart. */
export type Metric = 'count' | 'errors' | 'percentiles' | 'tokens' | 'cost' | 'mean'

export const SHOW: Record<Metric, (value: number | null | undefined) => string> = {
  count,
  tokens: count,
  cost: dollars,
  errors: percent,
  percentiles: (seconds) => duration(seconds == null ? null : seconds * 1000),
  mean: showScore,
}

export const NOUNS: Record<MetricSubject, string> = {
  threads: 'thread',
  runs: 'run',
  steps: 'step',
  generations: 'generation',
  scores: 'score',
}

/** Returns the finding of a chart in words. */
export const captionOf = (total: Measurement, subject: MetricSubject, metric: Metric): string => {
  const all = plural(total.count, NOUNS[subject])
  if (metric === 'percentiles')
    return total.p95 === null ? all : `${all}, p95 ${duration(total.p95 * 1000)}`
  if (metric === 'errors') return `${total.errorCount} of ${all} failed`
  if (metric === 'tokens') return `${count(total.tokens)} in ${all}`
  if (metric === 'cost') return `${atLeast(total.cost, total.unpricedCount > 0)} for ${all}`
  if (metric === 'mean') return `${showScore(total.mean)} of ${all}`
  return all
}

/** Says that a range has nothing to draw; undefined when it has. */
export const emptyTextOf = (
  lines: readonly Line[],
  subject: MetricSubject,
  metric: Metric,
  name?: string,
): string | undefined => {
  const hasRows = lines.some(({ counts }) => counts?.some((n) => n > 0))
  if (!hasRows) {
    const noun = `${NOUNS[subject]}s`
    return name === undefined ? `No ${noun} in this range.` : `No ${noun} “${name}” in this range.`
  }
  const hasValues = lines.some(({ values, counts }) =>
    values.some((value, index) => value !== null && (counts?.[index] ?? 0) > 0),
  )
  return hasValues ? undefined : NOTHING[metric]
}

const NOTHING: Record<Metric, string> = {
  count: 'Nothing was counted.',
  errors: 'Nothing was counted.',
  percentiles: 'No durations were recorded in this range.',
  tokens: 'No tokens were recorded in this range.',
  cost: 'No prices are known for what was recorded in this range.',
  mean: 'No values were recorded in this range.',
}

/** Returns true if values add up: only those are stacked, and are 0 in empty buckets. */
const isSum = (metric: Metric): boolean =>
  metric === 'count' || metric === 'tokens' || metric === 'cost'

/**
 * Chooses the drawing of lines. Sums of parts are stacked bars; a mean, a share or a percentile is a line of its own.
 */
export const drawingOf = (metric: Metric, lines: readonly Line[], seriesCount: number) => ({
  kind: isSum(metric) ? ('bars' as const) : ('lines' as const),
  isStacked: isSum(metric) && lines.length > 1 && seriesCount > 1,
  needsMany: metric === 'percentiles',
  isLog:
    metric === 'percentiles' &&
    lines.some(({ values }) => values.some((value) => value !== null && value > 0)),
})

/** Returns the number of the bucket of a measurement; undefined outside of the range. */
const placeOf = (
  { start }: Measurement,
  starts: readonly number[],
  bucketSeconds: number,
): number | undefined => {
  const index = Math.round((Date.parse(start ?? '') / 1000 - (starts[0] ?? 0)) / bucketSeconds)
  return index >= 0 && index < starts.length ? index : undefined
}

/** Returns the number of rows behind each bucket, over all series: all of them, and those that failed. */
export const rowsOf = (
  series: readonly Series[],
  starts: readonly number[],
  bucketSeconds: number,
): { count: number; errorCount: number }[] => {
  const rows = starts.map(() => ({ count: 0, errorCount: 0 }))
  for (const { buckets } of series)
    for (const bucket of buckets) {
      const row = rows[placeOf(bucket, starts, bucketSeconds) ?? -1]
      if (row === undefined) continue
      row.count += bucket.count
      row.errorCount += bucket.errorCount
    }
  return rows
}

/** Returns the lines of a chart, with a value for each bucket: null without measurements, and in the future. */
export const linesOf = (
  series: readonly Series[],
  metric: Metric,
  starts: readonly number[],
  bucketSeconds: number,
  now = Number.POSITIVE_INFINITY,
  { isSplit = false, nameOfKey = (key: string) => key } = {},
): Line[] => {
  const line = (
    name: string,
    { buckets }: Series,
    value: (measured: Measurement) => number | null,
  ): Line => {
    const values: (number | null)[] = starts.map((start) =>
      isSum(metric) && start <= now ? 0 : null,
    )
    const counts: number[] = starts.map(() => 0)
    for (const bucket of buckets) {
      const index = placeOf(bucket, starts, bucketSeconds)
      if (index === undefined) continue
      values[index] = value(bucket)
      counts[index] = bucket.count
    }
    return { name, values, counts }
  }
  const nameOf = ({ key, isRest }: Series) =>
    isRest ? 'other' : key !== null ? nameOfKey(key) : isWhole ? 'all' : 'not recorded'
  // A single series without a value is one of a split, too, when none was recorded.
  const isWhole = !isSplit && series.length <= 1
  switch (metric) {
    case 'count':
      return series.map((one) => line(nameOf(one), one, ({ count: n }) => n))
    case 'cost':
      return series.map((one) => line(nameOf(one), one, ({ cost }) => cost))
    case 'tokens': {
      const [only] = series
      return isWhole && only !== undefined && only.key === null
        ? [
            line('in and out', only, ({ tokens }) => tokens),
            line('out', only, ({ outputTokens }) => outputTokens),
          ]
        : series.map((one) => line(nameOf(one), one, ({ tokens }) => tokens))
    }
    case 'errors':
      return series.map((one) =>
        line(nameOf(one), one, ({ errorCount, count: n }) => (n === 0 ? null : errorCount / n)),
      )
    case 'mean':
      return series.map((one) => line(nameOf(one), one, ({ mean }) => mean))
    case 'percentiles': {
      const [only] = series
      return isWhole && only !== undefined && only.key === null
        ? [
            line('p50', only, ({ p50 }) => p50),
            line('p95', only, ({ p95 }) => p95),
            line('p99', only, ({ p99 }) => p99),
          ]
        : series.map((one) => line(`${nameOf(one)} p95`, one, ({ p95 }) => p95))
    }
  }
}
