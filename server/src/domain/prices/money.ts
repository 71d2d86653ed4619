import { invalid, show } from '../../kernel/errors.js'

/** Picodollars of a dollar. Prices per million tokens with up to six decimal places are whole numbers of them per token. */
const PICODOLLARS = 1e12
/** The largest cost of one call: whole numbers are exact up to it. */
export const MAX_COST = Number.MAX_SAFE_INTEGER

/** Returns an amount in dollars, the nearest number to its exact value. */
export const dollarsOf = (picodollars: number): number => picodollars / PICODOLLARS

/** Returns dollars per million tokens of a price per token in picodollars. */
export const perMillion = (picodollars: number): number => picodollars / 1e6

/**
 * Returns a whole number of the smallest unit for a decimal number, by its shortest decimal form: a number such as 0.1
 * stands for a tenth and not for the binary fraction next to it. A half is rounded up.
 */
const wholeOf = (value: number, places: number): number => {
  const [mantissa = '0', exponent = '0'] = value.toString().split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  const point = whole.length + Number(exponent) + places
  const digits = `${whole}${fraction}`
  if (point < 0) return 0
  const kept = digits.slice(0, point).padEnd(point, '0')
  const isUp = (digits[point] ?? '0') >= '5'
  return Number(kept === '' ? '0' : kept) + (isUp ? 1 : 0)
}

/** Reads a cost in dollars. */
export const parseDollars = (field: string, dollars: number): number => {
  const picodollars = dollars >= 0 ? wholeOf(dollars, 12) : Number.NaN
  if (!Number.isSafeInteger(picodollars))
    throw invalid(`${field}: expected dollars from 0 to 9007, got ${show(dollars)}`)
  return picodollars
}

/** The largest price, in dollars per million tokens. */
const MAX_RATE = 1_000_000

/** Reads a price in dollars per million tokens, with at most six decimal places. */
export const parseRate = (field: string, dollars: number): number => {
  const rate = dollars >= 0 && dollars <= MAX_RATE ? wholeOf(dollars, 6) : Number.NaN
  if (Number.isNaN(rate))
    throw invalid(
      `${field}: expected dollars per million tokens from 0 to ${MAX_RATE}, got ${show(dollars)}`,
    )
  if (perMillion(rate) !== dollars)
    throw invalid(`${field}: expected at most six decimal places, got ${show(dollars)}`)
  return rate
}
