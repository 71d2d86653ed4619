import type { Measurement } from '../../charts/use-measure.js'
import { score as showScore, signed } from '../../format/number.js'

/** A change against the period before. */
export interface Change {
  /** Empty when the periods can't be compared. */
  text: string
  word: '' | 'better' | 'worse'
  isUp: boolean
}

const NONE: Change = { text: '', word: '', isUp: false }

const tenths = (value: number): number => Math.round(value * 10) / 10

/** Compares a figure with that of the period before: shares by their difference, all others by their ratio. */
export const changeOf = (
  now: number | null | undefined,
  before: number | null | undefined,
  { good, isShare = false }: { good?: 'up' | 'down' | undefined; isShare?: boolean } = {},
): Change => {
  if (now == null || before == null || (before === 0 && !isShare)) return NONE
  const size = tenths(isShare ? (now - before) * 100 : ((now - before) / before) * 100)
  const isUp = now > before
  // A change that is shown as none is neither.
  const word = good === undefined || size === 0 ? '' : (good === 'up') === isUp ? 'better' : 'worse'
  return {
    text: size === 0 ? 'no change' : `${signed(size)} ${isShare ? 'points' : '%'}`,
    word,
    isUp,
  }
}

/** The deviations beyond which a difference of means is no accident, 19 times in 20. */
const DEVIATIONS = 1.96

/** Compares means of scores, each with its number and deviation; in words, as a score may be better when it is lower. */
export const changeOfMeans = (
  now: Measurement | undefined,
  before: Measurement | undefined,
): string => {
  if (now?.mean == null || before?.mean == null) return ''
  const difference = now.mean - before.mean
  const shown = difference === 0 ? '0' : signed(difference)
  if (now.deviation === null || before.deviation === null) return `${shown}, too few to tell`
  const reach =
    DEVIATIONS * Math.sqrt(now.deviation ** 2 / now.count + before.deviation ** 2 / before.count)
  if (Math.abs(difference) <= reach) return `${shown}, no clear change`
  return `${shown} ± ${showScore(reach)}, ${difference > 0 ? 'higher' : 'lower'}`
}
