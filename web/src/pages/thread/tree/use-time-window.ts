import { useMemo } from 'react'
import { useAddress } from '../../../address/use-address.js'
import type { Outline } from '../outline/outline.js'
import { type Stretch, stretchesOf } from './time-map.js'

/** `from-to` in milliseconds since the first step. */
const readWindow = (text: string | undefined): Stretch | undefined => {
  const match = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? '')
  if (match === null) return undefined
  const [from, to] = [Number(match[1]), Number(match[2])]
  return to > from ? { from, to } : undefined
}

/** Returns the times of the roots: between them a person thinks. Nothing is cut inside of one. */
function* busyTimes(outline: Outline): Generator<readonly [number, number]> {
  for (let place = 0; place < outline.count; place += outline.size[place] ?? 1) {
    const start = outline.start[place] ?? Number.NaN
    if (Number.isNaN(start)) continue
    let end = start + (outline.duration[place] || 0)
    for (let below = place; below < place + (outline.size[place] ?? 1); below++) {
      const until = (outline.start[below] ?? Number.NaN) + (outline.duration[below] || 0)
      if (until > end) end = until
    }
    yield [start, end]
  }
}

/** The drawn part of a thread's time, with or without idle time. The address keeps both. */
export const useTimeWindow = (outline: Outline) => {
  const address = useAddress()
  const cuts = address.get('idle') !== 'shown'
  const said = address.get('t')
  const window = useMemo(() => readWindow(said), [said])
  const all = useMemo(
    () => stretchesOf(busyTimes(outline), { from: 0, to: Math.max(outline.span, 1) }, cuts),
    [outline, cuts],
  )
  const stretches = useMemo(
    () => (window === undefined ? all : stretchesOf(busyTimes(outline), window, cuts)),
    [window, all, outline, cuts],
  )
  return {
    cuts,
    window,
    /** The stretches of the whole thread, and of its drawn part. */
    all,
    stretches,
    toggleCuts: () => address.set({ idle: cuts ? 'shown' : null }, { replace: true }),
    show: (next: Stretch | undefined, options?: { replace: boolean }) =>
      address.set(
        { t: next === undefined ? null : `${Math.round(next.from)}-${Math.round(next.to)}` },
        options,
      ),
  }
}
