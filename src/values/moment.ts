import { capture } from './capture.js'
import { textOf, type Withheld } from './fit.js'

/** The moments that the service stores, in milliseconds since 1970: from the year 1 to 9999. */
const FIRST = -62_135_596_800_000
const LAST = 253_402_300_799_999

/** Characters of a value that are looked at, and shown. */
const MAX_SHOWN = 100

/** ISO 8601 as the service reads it, to the microsecond, with or without a zone. */
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?\s*(?:Z|[+-](?:0\d|1[0-5])(?::?[0-5]\d)?)?)?$/i

const isOnCalendar = (year: number, month: number, day: number): boolean => {
  // The calendar repeats after 400 years, and the first hundred would be taken for those of another century.
  const date = new Date(Date.UTC(2000 + (year % 400), month - 1, day))
  return year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/**
 * Returns a moment in a form that can be stored: milliseconds since 1970, or a text that the service reads; undefined
 * for anything else.
 */
export const momentOf = (given: unknown): number | string | undefined => {
  // Dates of all libraries write themselves as JSON, and objects may throw when they are looked at.
  const moment = typeof given === 'object' ? capture(given, MAX_SHOWN) : given
  if (typeof moment === 'number') return moment >= FIRST && moment <= LAST ? moment : undefined
  if (typeof moment !== 'string') return undefined
  const text = moment.trim()
  const [, year, month, day] = ISO.exec(text) ?? []
  if (year !== undefined)
    return isOnCalendar(Number(year), Number(month), Number(day)) ? text : undefined
  const parsed = momentOf(new Date(moment).getTime())
  return parsed === undefined ? undefined : new Date(parsed).toISOString()
}

/** Returns a moment of a step, and notes one that is invalid, with its value. */
export const fitMoment = (
  moment: unknown,
  field: 'startTime' | 'endTime',
  withheld: Withheld,
): number | string | undefined => {
  if (moment === undefined || moment === null) return undefined
  const fitted = momentOf(moment)
  if (fitted === undefined)
    withheld[field] = `expected a moment, got ${textOf(capture(moment, MAX_SHOWN))}`
  return fitted
}
