import { score as showScore, signed } from '../format/number.js'
import { duration } from '../format/time.js'
import type { Measure } from '../stats/statistics.js'

/** Names of measures, as tables and choices show them. */
export const MEASURE_TITLES: Readonly<Record<Measure, string>> = {
  durationMs: 'duration',
  tokens: 'tokens',
  cost: 'cost',
  errors: 'errors',
}

/** Formats a measure in its unit. Unknown is `–`. */
export const showMeasure = (measure: Measure, value: number | null | undefined): string => {
  if (value == null || Number.isNaN(value)) return '–'
  if (measure === 'durationMs') return value < 0 ? `−${duration(-value)}` : duration(value)
  return measure === 'cost' ? `$${showScore(value)}` : showScore(value)
}

/** Formats a difference of a measure with its sign. */
export const signedMeasure = (measure: Measure, value: number): string =>
  measure === 'durationMs' && value !== 0
    ? `${value > 0 ? '+' : '−'}${duration(Math.abs(value))}`
    : signed(value)
