/** A drawn stretch of time; the idle time between two of them is cut. */
export interface Stretch {
  from: number
  to: number
}

const MIN_CUT_MS = 5000
/** Gaps that would hardly show beside the busy time stay. */
const MIN_CUT_SHARE = 0.005
/** The width of a cut, as long as there are few. */
export const CUT_PX = 28
/** The share of the width that all cuts together take at most. */
const MAX_CUTS_SHARE = 0.35

/**
 * Returns the drawn stretches of a window: all of it, or without the gaps in which nothing ran for more than five
 * seconds, however many there are. The first begins where the window begins, the last ends where it ends.
 */
export const stretchesOf = (
  intervals: Iterable<readonly [from: number, to: number]>,
  window: Stretch,
  cuts: boolean,
): Stretch[] => {
  const length = window.to - window.from
  if (!cuts || length <= 0) return [window]
  const sorted = [...intervals]
    .map(([from, to]) => [Math.max(from, window.from), Math.min(to, window.to)] as const)
    .filter(([from, to]) => from <= to)
    .sort(([a], [b]) => a - b)
  // Time before the first step and after the last one belongs to a window as well.
  const bounded = [[window.from, window.from], ...sorted, [window.to, window.to]] as const
  const busy = joined(bounded, 0).reduce((sum, { from, to }) => sum + to - from, 0)
  // Without busy time there is nothing to show instead.
  if (busy === 0) return [window]
  return joined(bounded, Math.max(MIN_CUT_MS, busy * MIN_CUT_SHARE))
}

/** Joins sorted intervals with gaps up to a length. */
const joined = (
  sorted: readonly (readonly [from: number, to: number])[],
  longestGap: number,
): Stretch[] => {
  const stretches: Stretch[] = []
  for (const [from, to] of sorted) {
    const last = stretches.at(-1)
    if (last !== undefined && from - last.to <= longestGap) last.to = Math.max(last.to, to)
    else stretches.push({ from, to })
  }
  return stretches
}

/** Maps moments to pixels. Durations are never derived from pixels. */
export class TimeMap {
  readonly stretches: readonly Stretch[]
  readonly width: number
  /** The width of a cut in pixels. */
  readonly cutWidth: number
  readonly #scale: number
  readonly #lefts: number[]

  constructor(stretches: readonly Stretch[], width: number) {
    this.stretches = stretches
    this.width = width
    const busy = stretches.reduce((sum, { from, to }) => sum + to - from, 0)
    const cuts = stretches.length - 1
    this.cutWidth = cuts === 0 ? 0 : Math.min(CUT_PX, (width * MAX_CUTS_SHARE) / cuts)
    const room = Math.max(1, width - this.cutWidth * cuts)
    this.#scale = busy > 0 ? room / busy : 0
    let left = 0
    this.#lefts = stretches.map(({ from, to }) => {
      const mine = left
      left += (to - from) * this.#scale + this.cutWidth
      return mine
    })
  }

  /** The first and the last drawn moment. */
  get from(): number {
    return this.stretches[0]?.from ?? 0
  }

  get to(): number {
    return this.stretches.at(-1)?.to ?? 0
  }

  /** In pixels from the left. Moments in a cut are at its middle, moments outside at the edge. */
  x(ms: number): number {
    for (let index = this.stretches.length - 1; index >= 0; index--) {
      const stretch = this.stretches[index] as Stretch
      const left = this.#lefts[index] ?? 0
      if (ms > stretch.to && index < this.stretches.length - 1)
        return left + (stretch.to - stretch.from) * this.#scale + this.cutWidth / 2
      if (ms >= stretch.from) return left + (Math.min(ms, stretch.to) - stretch.from) * this.#scale
    }
    return 0
  }

  /** The moment at a pixel. */
  at(x: number): number {
    for (let index = this.stretches.length - 1; index >= 0; index--) {
      const { from, to } = this.stretches[index] as Stretch
      const left = this.#lefts[index] ?? 0
      if (x >= left) return Math.min(to, from + (this.#scale > 0 ? (x - left) / this.#scale : 0))
    }
    return this.stretches[0]?.from ?? 0
  }

  /** The places and lengths of the cuts. */
  cuts(): { x: number; ms: number }[] {
    return this.stretches.slice(1).map(({ from }, index) => ({
      x: (this.#lefts[index + 1] ?? 0) - this.cutWidth,
      ms: from - (this.stretches[index]?.to ?? from),
    }))
  }
}
