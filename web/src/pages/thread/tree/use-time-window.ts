import { useMemo } from 'react'
import { useAddress } from '../../../address/use-address.js'
import type { Outline } from '../outline/outline.js'
import { type Stretch, stretchesOf } from './time-map.js'

/** `from-to` in milliseconds since the first step. */
export const readWindow = (text: string | undefined): Stretch | undefined => {
  const match = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? '')
  if (match === null) return undefined
  const [from, to] = [Number(match[1]), Number(match[2])]
  return to > from ? { from, to } : undefined
}

/**
 * Returns the times of turns: between them a person thinks. A step with messages below it, as the session of a chat, waits
 * for the person too, so that the steps in it count instead. Nothing is cut inside of a turn.
 */
export function* busyTimes(outline: Outline): Generator<readonly [number, number]> {
  const holdsMessage = new Uint8Array(outline.count)
  for (let place = outline.count - 1; place >= 0; place--) {
    const above = outline.parent[place] ?? -1
    if (above >= 0 && (outline.isMessage(place) || holdsMessage[place])) holdsMessage[above] = 1
  }
  let next = 1
  for (let place = 0; place < outline.count; place += next) {
    const start = outline.start[place] ?? Number.NaN
    next = 1
    if (holdsMessage[place]) {
      // The moment at which the session begins is drawn.
      if (!Number.isNaN(start)) yield [start, start]
      continue
    }
    next = outline.size[place] ?? 1
    if (Number.isNaN(start)) continue
    let end = start + (outline.duration[place] || 0)
    for (let below = place; below < place + next; below++) {
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
  const whole = useMemo(() => ({ from: 0, to: Math.max(outline.span, 1) }), [outline])
  const all = useMemo(() => stretchesOf(busyTimes(outline), whole, cuts), [outline, whole, cuts])
  const stretches = useMemo(
    () => (window === undefined ? all : stretchesOf(busyTimes(outline), window, cuts)),
    [window, all, outline, cuts],
  )
  const idleMs = useMemo(() => {
    const shown = window ?? whole
    const cut = cuts ? stretches : stretchesOf(busyTimes(outline), shown, true)
    return cut.reduce((left, { from, to }) => left - (to - from), shown.to - shown.from)
  }, [stretches, window, whole, cuts, outline])
  return {
    cuts,
    /** Milliseconds that are left out when idle time is cut. */
    idleMs,
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
