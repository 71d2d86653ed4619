import type { RefObject } from 'react'
import { duration } from '../../../format/time.js'
import type { TimeMap } from './time-map.js'

export const Axis = ({
  map,
  laneRef,
}: {
  map: TimeMap
  laneRef: RefObject<HTMLDivElement | null>
}) => {
  const [{ from } = { from: 0 }] = map.stretches
  const last = map.stretches.at(-1)
  const cuts = map.cuts()
  return (
    <div className="lane" ref={laneRef}>
      <span style={{ left: 2 }}>{duration(from)}</span>
      {cuts.map(({ x, ms }) => (
        <span
          key={x}
          className="quiet"
          style={{ left: x - 12 }}
          title={`${duration(ms)} in which nothing ran`}
        >
          ╱{duration(ms)}╱
        </span>
      ))}
      {cuts.length === 0 && last !== undefined && map.width > 240 && (
        <span style={{ left: '50%', transform: 'translateX(-50%)' }}>
          {duration((from + last.to) / 2)}
        </span>
      )}
      <span style={{ right: 2 }}>{duration(last?.to)}</span>
    </div>
  )
}
