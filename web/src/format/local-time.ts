import { zone } from './zone.js'

const DATE_LENGTH = '2026-11-21'.length
const MINUTE_LENGTH = '2026-11-21T14:03'.length

/**
 * Returns the moment of a local time such as `2026-11-21T14:03`, in the zone of shown times; undefined for any other text.
 * A time that the clocks skip is moved on by as much, of one that they repeat the first counts.
 */
export const fromLocal = (text: string): Date | undefined => {
  // A day alone would be read in UTC.
  if (!text.includes('T')) return undefined
  const moment = new Date(zone() === 'UTC' ? `${text}Z` : text)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}

/** Returns a moment as the fields of browsers take it: to the minute, in the zone of shown times. */
export const toLocal = (moment: Date): string => {
  if (zone() === 'UTC') return moment.toISOString().slice(0, MINUTE_LENGTH)
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, MINUTE_LENGTH)
}

/** Returns the start of a day such as `2026-11-21`, or of a later one; undefined for any other text. */
export const startOfDay = (day: string, daysLater = 0): Date | undefined => {
  const date = new Date(`${day}T00:00Z`)
  // A day that its month lacks would be one of the next month.
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, DATE_LENGTH) !== day)
    return undefined
  date.setUTCDate(date.getUTCDate() + daysLater)
  return fromLocal(date.toISOString().slice(0, MINUTE_LENGTH))
}

/** Returns the day of a moment. */
export const dayOf = (moment: Date): string => toLocal(moment).slice(0, DATE_LENGTH)
