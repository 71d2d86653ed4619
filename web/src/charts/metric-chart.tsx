import { type ReactNode, useMemo } from 'react'
import type { MetricSubject } from '../../../generated/schema.js'
import { lengthName } from '../format/buckets.js'
import { ProblemView } from '../ui/problem-view.js'
import { Chart } from './chart.js'
import { DIMENSIONS, isSplit } from './dimensions.js'
import { rowsBehind } from './rows-behind.js'
import { captionOf, drawingOf, emptyTextOf, linesOf, type Metric, rowsOf, SHOW } from './series.js'
import { type Extent, totalOf, useMeasure } from './use-measure.js'
import { useNames } from './use-names.js'

/** Shows one subject over time. Loads and fails independently of other charts. */
export const MetricChart = ({
  subject,
  metric,
  title,
  unit,
  name,
  hrefFor,
  onRange,
  onReset,
  actions,
  isWaiting = false,
  ...extent
}: Extent & {
  subject: MetricSubject
  metric: Metric
  title: string
  /** Default: the length of a bucket, for sums. */
  unit?: string
  name?: string | undefined
  /** Replaces the address of the rows behind a bucket. */
  hrefFor?: (start: number, end: number) => string
  onRange: (start: number, end: number) => void
  onReset: () => void
  actions?: ReactNode
  /** The measurement to read is not known yet. */
  isWaiting?: boolean
}) => {
  const loaded = useMeasure(subject, extent, name, { pause: isWaiting })
  const { buckets, bucketSeconds } = loaded
  const { from, by } = extent
  const starts = useMemo(() => {
    const first = Date.parse(from) / 1000
    return Array.from({ length: buckets }, (_, index) => first + index * bucketSeconds)
  }, [from, buckets, bucketSeconds])
  // Measurements of another range have no place on this one's axis.
  const isOwn = !loaded.isPrevious
  const series = isOwn ? loaded.data?.now.series : undefined
  const nameOfKey = useNames(by, series?.flatMap(({ key }) => key ?? []) ?? [])
  const isDivided = isSplit(subject, by)
  const named = JSON.stringify(series?.map(({ key }) => (key === null ? null : nameOfKey(key))))
  const lines = useMemo(
    () =>
      linesOf(series ?? [], metric, starts, bucketSeconds, Date.now() / 1000, {
        isSplit: isDivided,
        nameOfKey,
      }),
    // The names of the keys, not the function, which is another one each time.
    [series, metric, starts, bucketSeconds, isDivided, named],
  )
  const rows = useMemo(
    () => rowsOf(series ?? [], starts, bucketSeconds),
    [series, starts, bucketSeconds],
  )
  if (loaded.problem !== undefined && series === undefined)
    return (
      <div className="chart measured panel">
        <div className="row">
          <strong className="grow clip">{title}</strong>
          {actions}
        </div>
        <ProblemView problem={loaded.problem} retry={loaded.refresh} />
      </div>
    )
  const total = isOwn && loaded.data !== undefined ? totalOf(loaded.data) : undefined
  const isLess = isOwn && loaded.data?.now.leavesOutDeleted ? ' · without deleted data' : ''
  const isWhole = by !== undefined && !isDivided ? ` · not split by ${DIMENSIONS[by]}` : ''
  return (
    <Chart
      title={title}
      unit={
        unit ?? (drawingOf(metric, [], 0).kind === 'bars' ? `per ${lengthName(bucketSeconds)}` : '')
      }
      caption={total === undefined ? '' : `${captionOf(total, subject, metric)}${isWhole}${isLess}`}
      starts={starts}
      bucketSeconds={bucketSeconds}
      lines={lines}
      show={SHOW[metric]}
      actions={actions}
      problem={
        loaded.problem === undefined ? undefined : (
          <ProblemView problem={loaded.problem} retry={loaded.refresh} />
        )
      }
      {...drawingOf(metric, lines, series?.length ?? 0)}
      emptyText={series === undefined ? undefined : emptyTextOf(lines, subject, metric, name)}
      linkFor={(bucket) => {
        const behind = rows[bucket]
        const start = starts[bucket]
        if (behind === undefined || start === undefined) return undefined
        const ends = [start, start + bucketSeconds] as const
        const link = rowsBehind(subject, metric, ends, behind, extent, name)
        return link && hrefFor ? { ...link, href: hrefFor(...ends) } : link
      }}
      onRange={onRange}
      onReset={onReset}
    />
  )
}
