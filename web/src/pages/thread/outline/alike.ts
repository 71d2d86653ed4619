import type { Outline } from './outline.js'

/** A step is an outlier when it takes this many times as long as the middle one of its group, and longer by some time. */
const OUTLIER_FACTOR = 3
const OUTLIER_MS = 50

/** Facts about like siblings in a row, of which one row stands for all. */
export interface AlikeFacts {
  count: number
  /** The middle duration in milliseconds; NaN without durations. */
  median: number
  /** The place of the slowest step, and its milliseconds; -1 and NaN without durations. */
  slowest: number
  slowestMs: number
  /** The number of steps that took far longer than the others. */
  outliers: number
}

/** Returns the facts about the group of like siblings that begins at a place. */
export const alikeFacts = (outline: Outline, first: number): AlikeFacts => {
  const durations: number[] = []
  const facts = { count: 0, median: Number.NaN, slowest: -1, slowestMs: Number.NaN, outliers: 0 }
  const until = outline.alikeUntil[first] ?? 0
  for (let place = first; place < until; place += outline.size[place] ?? 1) {
    facts.count++
    const ms = outline.duration[place] ?? Number.NaN
    if (Number.isNaN(ms)) continue
    durations.push(ms)
    if (facts.slowest >= 0 && ms <= facts.slowestMs) continue
    facts.slowest = place
    facts.slowestMs = ms
  }
  if (durations.length === 0) return facts
  durations.sort((a, b) => a - b)
  const middle = durations[(durations.length - 1) >> 1] ?? Number.NaN
  facts.median = middle
  facts.outliers = durations.filter(
    (ms) => ms > middle * OUTLIER_FACTOR && ms > middle + OUTLIER_MS,
  ).length
  return facts
}
