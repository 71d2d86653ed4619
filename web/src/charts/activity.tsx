import './charts.css'
import { useMemo } from 'react'
import { segment } from '../address/segment.js'
import { useAddress } from '../address/use-address.js'
import { MetricChart } from './metric-chart.js'

const DAYS = 28

/**
 * Shows a user's activity by day of the viewer's zone, up to the last one that had any if it is long ago; a day on which
 * clocks change is an hour off.
 */
export const Activity = ({
  participantId,
  lastEngaged,
}: {
  participantId: string
  lastEngaged: string | null
}) => {
  const address = useAddress()
  const extent = useMemo(() => {
    const isLongAgo =
      lastEngaged !== null && Date.parse(lastEngaged) < Date.now() - DAYS * 86_400_000
    const last = isLongAgo ? Date.parse(lastEngaged) : Date.now()
    const [from, to] = [new Date(last), new Date(last)]
    from.setHours(0, 0, 0, 0)
    to.setHours(24, 0, 0, 0)
    from.setDate(from.getDate() - DAYS + 1)
    return { from: from.toISOString(), to: to.toISOString() }
  }, [lastEngaged])
  const rangeOf = (start: number, end: number) =>
    `${new Date(start * 1000).toISOString()}..${new Date(end * 1000).toISOString()}`
  const common = {
    ...extent,
    buckets: DAYS,
    // The titles say it.
    unit: '',
    participantId,
    hrefFor: (start: number, end: number) =>
      `/users/${segment(participantId)}?range=${segment(rangeOf(start, end))}`,
    onRange: (start: number, end: number) => address.set({ range: rangeOf(start, end) }),
    onReset: () => address.set({ range: null }),
  }
  return (
    <div className="charts">
      <MetricChart {...common} subject="threads" metric="count" title="Threads a day" />
      <MetricChart {...common} subject="generations" metric="tokens" title="Tokens a day" />
    </div>
  )
}
