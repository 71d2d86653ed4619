import { useMemo } from 'react'
import type { MetricSubject } from '../../../generated/schema.js'
import { ProblemView } from '../shell/problem-view.js'
import { Chart } from './chart.js'
import { rowsBehind } from './rows-behind.js'
import { captionOf, linesOf, SHOW, type What } from './series.js'
import { type Extent, useMeasure } from './use-measure.js'

/** One subject over time. Loads and fails by itself. */
export const MetricChart = ({
  subject,
  what,
  title,
  name,
  linkFor,
  onRange,
  onReset,
  ...extent
}: Extent & {
  subject: MetricSubject
  what: What
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
  const series = loaded.data?.now.series
  const lines = useMemo(
    () => linesOf(series ?? [], what, starts, bucketSeconds),
    [series, what, starts, bucketSeconds],
  )
  if (loaded.problem !== undefined)
    return (
      <div className="chart panel">
        <strong>{title}</strong>
        <ProblemView problem={loaded.problem} retry={loaded.refresh} />
      </div>
    )
  const total = loaded.data?.all.series[0]?.total
  return (
    <Chart
      title={title}
      caption={total === undefined ? '' : captionOf(total, subject, what)}
      starts={starts}
      bucketSeconds={bucketSeconds}
      lines={lines}
      show={SHOW[what]}
      isLog={
        what === 'percentiles' && lines.some(({ values }) => values.some((value) => value !== null))
      }
      isStacked={lines.length > 1 && (series?.length ?? 0) > 1}
      kind={what === 'count' || what === 'tokens' ? 'bars' : 'lines'}
      linkFor={
        linkFor ?? ((start, end) => rowsBehind(subject, what, start, end, extent.environment, name))
      }
      onRange={onRange}
      onReset={onReset}
    />
  )
}
