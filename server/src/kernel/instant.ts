import { invalid, show } from './errors.js'

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/**
 * A moment as the service keeps it: `2026-11-21T10:00:00.123456Z`, always with six fractional digits, so that texts
 * sort as moments do. JavaScript's own dates stop at milliseconds, and would lose the digits that Python clients send.
 */
export type Instant = string

/** The form that JavaScript writes. */
const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ$/

/** Reads an ISO 8601 date or date-time; one without a zone is taken as UTC, digits past microseconds are dropped. */
export const parseInstant = (field: string, text: unknown): Instant =>
  // A text that comes back unchanged is a moment on the calendar; the database has no year 0.
  typeof text === 'string' && CANONICAL.test(text) && !text.startsWith('0000') && isCanonical(text)
    ? `${text.slice(0, 23)}000Z`
    : parseOther(field, text)

const isCanonical = (text: string): boolean => {
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString() === text
}

const parseOther = (field: string, text: unknown): Instant => {
  const expected = `${field}: expected an ISO 8601 timestamp such as "2026-11-21T10:00:00.000Z"`
  const match = typeof text === 'string' ? ISO.exec(text.trim()) : null
  if (match === null) throw invalid(`${expected}, got ${show(text)}`)
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] =
    match
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  const offset = offsetMinutes(zone)
  const same = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  if (
    !same ||
    Number(hour) > 23 ||
    Number(minute) > 59 ||
    Number(second) > 59 ||
    !(Math.abs(offset) <= MAX_OFFSET_MINUTES)
  )
    throw invalid(`${expected}, but ${show(text)} is on no calendar`)
  const moment = new Date(date.getTime() - offset * 60_000)
  if (!(moment.getUTCFullYear() >= 1 && moment.getUTCFullYear() <= 9999))
    throw invalid(`${expected}, between the years 1 and 9999, got ${show(text)}`)
  return `${moment.toISOString().slice(0, 19)}.${fraction.padEnd(6, '0').slice(0, 6)}Z`
}

/** Beyond every zone that there was. */
const MAX_OFFSET_MINUTES = 16 * 60

/** Returns NaN for a zone with more than 59 minutes in its last hour. */
const offsetMinutes = (zone: string): number => {
  if (zone.toUpperCase() === 'Z') return 0
  const digits = zone.slice(1).replace(':', '')
  const rest = Number(digits.slice(2) || 0)
  if (rest > 59) return Number.NaN
  const minutes = Number(digits.slice(0, 2)) * 60 + rest
  return zone.startsWith('-') ? -minutes : minutes
}

/** Returns the form that clients get: three fractional digits, six where the microseconds are not zero. */
export const showInstant = (instant: Instant): string => instant.replace(/000Z$/, 'Z')

/** A time that is put back further than this was wrong before. */
const PUT_BACK_MICROSECONDS = 10_000_000

/**
 * Creates a clock whose moments are each later than the one before, so that rows of one batch keep their order. It follows
 * a time that is put right: else what is old would be judged by a day to come, until the process ends.
 */
export const createClock = (now: () => number = Date.now) => {
  let last = 0
  return (): Instant => {
    const current = now() * 1000
    last = last - current > PUT_BACK_MICROSECONDS ? current : Math.max(current, last + 1)
    return `${new Date(Math.floor(last / 1000)).toISOString().slice(0, 23)}${String(last % 1000).padStart(3, '0')}Z`
  }
}

export type Clock = ReturnType<typeof createClock>
