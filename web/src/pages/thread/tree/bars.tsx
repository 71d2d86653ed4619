import { FLAG } from '../../../../../generated/outline-flags.js'
import type { Outline } from '../outline/outline.js'
import type { TimeMap } from './time-map.js'

export const Bar = ({
  outline,
  place,
  map,
  now,
}: {
  outline: Outline
  place: number
  map: TimeMap
  now: number
}) => {
  const start = outline.start[place] ?? Number.NaN
  if (Number.isNaN(start)) return null
  const length = outline.duration[place] ?? Number.NaN
  const flags = outline.flags[place] ?? 0
  // Outside of the window a sign says on which side the step is.
  if (start > map.to) return <span className="bar-beyond right">›</span>
  if (start + (length || 0) < map.from && (flags & FLAG.running) === 0)
    return <span className="bar-beyond">‹</span>
  const left = map.x(start)
  if (Number.isNaN(length)) {
    if ((flags & FLAG.running) === 0) return <span className="bar mark" style={{ left }} />
    const right = map.x(Math.max(now, start))
    return <span className="bar open" style={{ left, width: Math.max(4, right - left) }} />
  }
  const width = map.x(start + length) - left
  const first = outline.firstToken[place] ?? Number.NaN
  const failed = (flags & FLAG.failed) !== 0 ? ' failed' : ''
  if (width < 2) return <span className={`bar hollow${failed}`} style={{ left, width: 2 }} />
  if (!Number.isNaN(first) && first > 0 && first < length) {
    const middle = map.x(start + first)
    return (
      <>
        <span className="bar pale" style={{ left, width: middle - left }} />
        <span className={`bar${failed}`} style={{ left: middle, width: left + width - middle }} />
      </>
    )
  }
  return <span className={`bar${failed}`} style={{ left, width }} />
}

const MAX_BARS = 60

/** The bars of folded steps. */
export const Density = ({
  outline,
  from,
  until,
  map,
}: {
  outline: Outline
  from: number
  until: number
  map: TimeMap
}) => {
  const bars: { left: number; width: number }[] = []
  const pace = Math.max(1, Math.ceil((until - from) / MAX_BARS))
  for (let place = from; place < until; place += pace) {
    const start = outline.start[place] ?? Number.NaN
    if (Number.isNaN(start)) continue
    const end = start + (outline.duration[place] || 0)
    if (start > map.to || end < map.from) continue
    const left = map.x(start)
    bars.push({ left, width: Math.max(1, map.x(end) - left) })
  }
  return bars.map(({ left, width }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: bars have no names
    <span key={index} className="bar pale" style={{ left, width }} />
  ))
}
