import './charts.css'
import { useMemo } from 'react'
import { segment } from '../address/segment.js'
import { useAddress } from '../address/use-address.js'
import { dayOf, startOfDay } from '../format/local-time.js'
import { MetricChart } from './metric-chart.js'

const DAYS = 28
const DAY_MS = 86_400_000

/**
 * Shows a user's activity by day of the zone of shown times, up to the last one that had any if it is long ago. Days before the
 * clocks changed begin an hour off: all are of one length.
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
    const isLongAgo = lastEngaged !== null && Date.parse(lastEngaged) < Date.now() - DAYS * DAY_MS
    const last = isLongAgo ? new Date(lastEngaged) : new Date()
    const to = startOfDay(dayOf(last), 1) ?? last
    const from = new Date(to.getTime() - DAYS * DAY_MS)
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
