/** A drawn stretch of time; the idle time between two of them is cut. */
export interface Stretch {
  from: number
  to: number
}

const MIN_CUT_MS = 5000
const MIN_CUT_SHARE = 0.05
/** The width of a cut. */
export const CUT_PX = 28

/** Returns the busy stretches; gaps over both five seconds and five percent lie between them. */
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
  const stretches: Stretch[] = []
  for (const [from, to] of sorted) {
    const last = stretches.at(-1)
    const gap = last === undefined ? 0 : from - last.to
    if (last !== undefined && (gap <= MIN_CUT_MS || gap <= length * MIN_CUT_SHARE))
      last.to = Math.max(last.to, to)
    else stretches.push({ from, to })
  }
  return stretches.length === 0 ? [window] : stretches
}

/** Maps moments to pixels. Durations are never derived from pixels. */
export class TimeMap {
  readonly stretches: readonly Stretch[]
  readonly width: number
  readonly #scale: number
  readonly #lefts: number[]

  constructor(stretches: readonly Stretch[], width: number) {
    this.stretches = stretches
    this.width = width
    const busy = stretches.reduce((sum, { from, to }) => sum + to - from, 0)
    const room = Math.max(1, width - CUT_PX * (stretches.length - 1))
    this.#scale = busy > 0 ? room / busy : 0
    let left = 0
    this.#lefts = stretches.map(({ from, to }) => {
      const mine = left
      left += (to - from) * this.#scale + CUT_PX
      return mine
    })
  }

  /** In pixels from the left. Moments in a cut are at its middle, moments outside at the edge. */
  x(ms: number): number {
    for (let index = this.stretches.length - 1; index >= 0; index--) {
      const stretch = this.stretches[index] as Stretch
      const left = this.#lefts[index] ?? 0
      if (ms > stretch.to && index < this.stretches.length - 1)
        return left + (stretch.to - stretch.from) * this.#scale + CUT_PX / 2
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
      x: (this.#lefts[index + 1] ?? 0) - CUT_PX,
      ms: from - (this.stretches[index]?.to ?? from),
    }))
  }
}
