import { bucketsOf } from '../../format/buckets.js'
import { rangeOf, rangeStart } from './range-select.js'

const HOUR_MS = 3_600_000

/** A range of time in buckets of equal length. */
export interface Span {
  from: string
  to: string
  buckets: number
}

/** Returns the span of a range as addresses write it; undefined for any other text. */
export const spanOf = (range: string, now = Date.now()): Span | undefined => {
  const start = rangeStart(range, now)
  if (start !== undefined)
    return spanBetween(start.getTime(), start.getTime() + (rangeOf(range)?.hours ?? 1) * HOUR_MS)
  const [first = '', last = '', ...more] = range.split('..')
  const [from, to] = [Date.parse(first), Date.parse(last)]
  return more.length === 0 && from < to && isKnown(from, to) ? spanBetween(from, to) : undefined
}

const FIRST_MOMENT = Date.parse('0001-01-01T00:00:00Z')
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z')

/** Returns true if the service knows the moments of a range, and those of the period of the same length before it. */
const isKnown = (from: number, to: number): boolean =>
  from - (to - from) >= FIRST_MOMENT && to <= LAST_MOMENT

const spanBetween = (from: number, to: number): Span => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  buckets: bucketsOf((to - from) / 1000),
})
