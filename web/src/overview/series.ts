import type { MetricSubject } from '../../../generated/schema.js'
import { count, percent, plural, score as showScore } from '../format/number.js'
import { duration } from '../format/time.js'
import type { Line } from './chart.js'
import type { Measured, Series } from './use-measure.js'

/** What of a measurement a chart shows. */
export type What = 'count' | 'errors' | 'percentiles' | 'tokens' | 'mean'

export const SHOW: Record<What, (value: number | null | undefined) => string> = {
  count,
  tokens: count,
  errors: percent,
  percentiles: (seconds) => duration(seconds == null ? null : seconds * 1000),
  mean: showScore,
}

const NOUNS: Record<MetricSubject, string> = {
  threads: 'thread',
  runs: 'run',
  steps: 'step',
  generations: 'generation',
  scores: 'score',
}

/** The finding of a chart. */
export const captionOf = (total: Measured, subject: MetricSubject, what: What): string => {
  const all = plural(total.count, NOUNS[subject])
  if (what === 'percentiles')
    return total.p95 === null ? all : `${all}, p95 ${duration(total.p95 * 1000)}`
  if (what === 'errors') return `${total.errorCount} of ${all} failed`
  if (what === 'tokens') return `${count(total.tokens)} in ${all}`
  if (what === 'mean') return `${showScore(total.mean)} of ${all}`
  return all
}

/** The lines of a chart, with a value for each of its buckets. */
export const linesOf = (
  series: readonly Series[],
  what: What,
  starts: readonly number[],
  bucketSeconds: number,
): Line[] => {
  const line = (
    name: string,
    { buckets }: Series,
    value: (measured: Measured) => number | null,
    empty: number | null = null,
  ): Line => {
    const values: (number | null)[] = starts.map(() => empty)
    const counts: number[] = starts.map(() => 0)
    for (const bucket of buckets) {
      const index = Math.round(
        (Date.parse(bucket.start ?? '') / 1000 - (starts[0] ?? 0)) / bucketSeconds,
      )
      if (index < 0 || index >= values.length) continue
      values[index] = value(bucket)
      counts[index] = bucket.count
    }
    return { name, values, counts }
  }
  const nameOf = ({ key, isRest }: Series) =>
    isRest ? 'other' : key === null ? (series.length > 1 ? 'not said' : 'all') : key
  switch (what) {
    case 'count':
      return series.map((one) => line(nameOf(one), one, ({ count: n }) => n, 0))
    case 'tokens': {
      const [only] = series
      return series.length === 1 && only !== undefined && only.key === null
        ? [
            line('in and out', only, ({ tokens }) => tokens, 0),
            line('out', only, ({ outputTokens }) => outputTokens, 0),
          ]
        : series.map((one) => line(nameOf(one), one, ({ tokens }) => tokens, 0))
    }
    case 'errors':
      return series.map((one) =>
        line(nameOf(one), one, ({ errorCount, count: n }) => (n === 0 ? null : errorCount / n)),
      )
    case 'mean':
      return series.map((one) => line(nameOf(one), one, ({ mean }) => mean))
    case 'percentiles': {
      const [only] = series
      return series.length === 1 && only !== undefined && only.key === null
        ? [
            line('p50', only, ({ p50 }) => positive(p50)),
            line('p95', only, ({ p95 }) => positive(p95)),
            line('p99', only, ({ p99 }) => positive(p99)),
          ]
        : series.map((one) => line(`${nameOf(one)} p95`, one, ({ p95 }) => positive(p95)))
    }
  }
}

/** A logarithm has no place for nothing. */
const positive = (value: number | null): number | null =>
  value === null || value <= 0 ? null : value
