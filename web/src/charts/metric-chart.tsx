import { useMemo } from 'react'
import type { MetricSubject } from '../../../generated/schema.js'
import { ProblemView } from '../ui/problem-view.js'
import { Chart } from './chart.js'
import { rowsBehind } from './rows-behind.js'
import { captionOf, drawingOf, linesOf, type Metric, SHOW } from './series.js'
import { type Extent, useMeasure } from './use-measure.js'

/** Shows one subject over time. Loads and fails independently of other charts. */
export const MetricChart = ({
  subject,
  metric,
  title,
  name,
  linkFor,
  onRange,
  onReset,
  ...extent
}: Extent & {
  subject: MetricSubject
  metric: Metric
  title: string
  name?: string
  linkFor?: (start: number, end: number) => string
  onRange: (start: number, end: number) => void
  onReset: () => void
}) => {
  const loaded = useMeasure(subject, extent, name)
  const { buckets, bucketSeconds } = loaded
  const starts = useMemo(() => {
    const first = Date.parse(extent.from) / 1000
    return Array.from({ length: buckets }, (_, index) => first + index * bucketSeconds)
  }, [extent.from, buckets, bucketSeconds])
  // Measurements of another range have no place on this one's axis.
  const isOwn = !loaded.isPrevious
  const series = isOwn ? loaded.data?.now.series : undefined
  const lines = useMemo(
    () => linesOf(series ?? [], metric, starts, bucketSeconds, Date.now() / 1000),
    [series, metric, starts, bucketSeconds],
  )
  if (loaded.problem !== undefined && series === undefined)
    return (
      <div className="chart panel">
        <strong>{title}</strong>
        <ProblemView problem={loaded.problem} retry={loaded.refresh} />
      </div>
    )
  const total = isOwn ? loaded.data?.all.series[0]?.total : undefined
  return (
    <Chart
      title={title}
      caption={total === undefined ? '' : captionOf(total, subject, metric)}
      starts={starts}
      bucketSeconds={bucketSeconds}
      lines={lines}
      show={SHOW[metric]}
      problem={
        loaded.problem === undefined ? undefined : (
          <ProblemView problem={loaded.problem} retry={loaded.refresh} />
        )
      }
      {...drawingOf(metric, lines, series?.length ?? 0)}
      linkFor={
        linkFor ??
        ((start, end) => rowsBehind(subject, metric, start, end, extent.environment, name))
      }
      onRange={onRange}
      onReset={onReset}
    />
  )
}
