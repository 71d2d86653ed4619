import '../../../charts/charts.css'
import { useMemo } from 'react'
import type { MetricSubject } from '../../../../../generated/schema.js'
import { Chart } from '../../../charts/chart.js'
import type { Line } from '../../../charts/chart-props.js'
import { rowsBehind } from '../../../charts/rows-behind.js'
import { type Measurement, useMeasure } from '../../../charts/use-measure.js'
import { ProblemView } from '../../../ui/problem-view.js'
import { type Alert, METRICS, type Metric, type Subject, shownValue, windowName } from './words.js'

/** Windows that are shown. */
const WINDOWS_SHOWN = 48

const MEASURED: Readonly<Record<Subject, MetricSubject>> = {
  THREADS: 'threads',
  STEPS: 'steps',
  GENERATIONS: 'generations',
  SCORES: 'scores',
}

const VALUES: Readonly<Record<Metric, (rows: Measurement) => number | null>> = {
  COUNT: ({ count }) => count,
  ERROR_COUNT: ({ errorCount }) => errorCount,
  ERROR_RATE: ({ errorCount, count }) => (count === 0 ? null : errorCount / count),
  DURATION_P50: ({ p50 }) => p50,
  DURATION_P95: ({ p95 }) => p95,
  DURATION_P99: ({ p99 }) => p99,
  COST: ({ cost }) => cost ?? 0,
  TOKENS: ({ tokens }) => tokens,
  SCORE_MEAN: ({ mean }) => mean,
}

/** Values that are 0 in a window without rows. */
const SUMS: ReadonlySet<Metric> = new Set(['COUNT', 'ERROR_COUNT', 'COST', 'TOKENS'])

/** The values of an alert in the windows up to its last evaluation, one after another, beside its threshold. */
export const AlertChart = ({ alert, evaluatedAt }: { alert: Alert; evaluatedAt: string }) => {
  const { metric, subject, threshold, windowMinutes, environment, query } = alert
  const bucketSeconds = windowMinutes * 60
  const end = Date.parse(evaluatedAt) / 1000
  const first = end - WINDOWS_SHOWN * bucketSeconds
  const extent = {
    from: new Date(first * 1000).toISOString(),
    to: new Date(end * 1000).toISOString(),
    buckets: WINDOWS_SHOWN,
    environment,
    query,
  }
  const measured = useMeasure(MEASURED[subject], extent)
  const buckets = measured.isPrevious ? undefined : measured.data?.now.series[0]?.buckets
  const starts = useMemo(
    () => Array.from({ length: WINDOWS_SHOWN }, (_, place) => first + place * bucketSeconds),
    [first, bucketSeconds],
  )
  const { rows, lines } = useMemo(() => {
    // Until the answer is there, nothing is known: a 0 would be a statement.
    const empty = buckets !== undefined && SUMS.has(metric) ? 0 : null
    const values = starts.map((): number | null => empty)
    const rows: (Measurement | undefined)[] = starts.map(() => undefined)
    for (const bucket of buckets ?? []) {
      const place = Math.round((Date.parse(bucket.start ?? '') / 1000 - first) / bucketSeconds)
      values[place] = VALUES[metric](bucket)
      rows[place] = bucket
    }
    const counts = rows.map((bucket) => bucket?.count ?? 0)
    const lines: Line[] = [
      { name: METRICS[metric], values, counts },
      { name: 'threshold', values: starts.map(() => threshold) },
    ]
    return { rows, lines }
  }, [buckets, metric, threshold, starts, first, bucketSeconds])
  const show = (value: number | null | undefined) => shownValue(metric, value ?? null)
  return (
    <Chart
      title="Values"
      unit={`of each ${windowName(windowMinutes)}`}
      caption={`${WINDOWS_SHOWN} windows up to the last evaluation`}
      starts={starts}
      bucketSeconds={bucketSeconds}
      lines={lines}
      show={show}
      problem={
        measured.problem && <ProblemView problem={measured.problem} retry={measured.refresh} />
      }
      linkFor={(place) => {
        const [start, behind] = [starts[place] ?? first, rows[place]]
        return (
          behind &&
          rowsBehind(
            MEASURED[subject],
            metric.startsWith('ERROR') ? 'errors' : 'count',
            [start, start + bucketSeconds],
            behind,
            extent,
            undefined,
          )
        )
      }}
      onRange={() => undefined}
      onReset={() => undefined}
    />
  )
}
