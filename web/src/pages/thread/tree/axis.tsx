import type { RefObject } from 'react'
import { duration } from '../../../format/time.js'
import type { TimeMap } from './time-map.js'

/** The room of a label such as 49 m 59 s; a cut whose label has none says its length on hover. */
const LABEL_PX = 80

export const Axis = ({
  map,
  laneRef,
}: {
  map: TimeMap
  laneRef: RefObject<HTMLDivElement | null>
}) => {
  const cuts = map.cuts()
  const labelled: { x: number; ms: number }[] = []
  for (const { x, ms } of cuts) {
    const middle = x + map.cutWidth / 2
    const before = labelled.at(-1)?.x ?? LABEL_PX / 2
    if (middle - before >= LABEL_PX && middle <= map.width - 1.5 * LABEL_PX)
      labelled.push({ x: middle, ms })
  }
  return (
    <div className="lane" ref={laneRef}>
      <span style={{ left: 2 }}>{duration(map.from)}</span>
      {labelled.map(({ x, ms }) => (
        <span
          key={x}
          className="quiet cut-label"
          style={{ left: x }}
          title={`${duration(ms)} in which nothing ran`}
        >
          ╱{duration(ms)}╱
        </span>
      ))}
      {cuts.length === 0 && map.width > 240 && (
        <span className="cut-label" style={{ left: '50%' }}>
          {duration((map.from + map.to) / 2)}
        </span>
      )}
      <span style={{ right: 2 }}>{duration(map.to)}</span>
    </div>
  )
}
