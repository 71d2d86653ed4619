import { score } from '../format/number.js'
import type { Interval } from './statistics.js'

/** Draws an interval on a line with a mark at 0. The words beside it contain the same. */
export const IntervalBar = ({ low, high, mean }: { low: number; high: number; mean: number }) => {
  const reach = Math.max(Math.abs(low), Math.abs(high), 1e-9) * 1.15
  const x = (value: number) => 80 + (value / reach) * 76
  return (
    <svg width="160" height="20" aria-hidden="true" style={{ verticalAlign: 'middle' }}>
      <line x1="80" x2="80" y1="2" y2="18" stroke="var(--line-strong)" />
      <line x1={x(low)} x2={x(high)} y1="10" y2="10" stroke="var(--fg-2)" strokeWidth="2" />
      <line x1={x(low)} x2={x(low)} y1="6" y2="14" stroke="var(--fg-2)" />
      <line x1={x(high)} x2={x(high)} y1="6" y2="14" stroke="var(--fg-2)" />
      <circle cx={x(mean)} cy="10" r="4" fill="var(--accent)" />
    </svg>
  )
}

export const IntervalText = ({ interval }: { interval: Interval | null }) =>
  interval === null ? null : (
    <span className="soft">
      ({score(interval.low)} – {score(interval.high)})
    </span>
  )
