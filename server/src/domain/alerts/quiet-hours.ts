import type { AlertQuietHoursInput, Weekday } from '../../../generated/resolvers.js'
import { invalid, show } from '../../kernel/errors.js'

/** Hours in which an alert calls nobody, by the clocks of a time zone. */
export interface QuietHours {
  timeZone: string
  periods: QuietPeriod[]
}

export interface QuietPeriod {
  /** The days on which it begins. */
  days: Weekday[]
  from: string
  /** A time before `from` is one of the next day. */
  to: string
}

const MAX_PERIODS = 20
const MAX_ZONE = 100
const WEEKDAYS: readonly Weekday[] = [
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
  'SUNDAY',
]

/** Checks quiet hours; an error names the field. */
export const checkQuietHours = ({ timeZone, periods }: AlertQuietHoursInput): QuietHours => {
  if (!isZone(timeZone))
    throw invalid(
      `quietHours.timeZone: expected a time zone such as "Europe/Berlin", got ${show(timeZone)}`,
    )
  if (periods.length === 0 || periods.length > MAX_PERIODS)
    throw invalid(`quietHours.periods: expected 1 to ${MAX_PERIODS}, got ${periods.length}`)
  return {
    timeZone,
    periods: periods.map(({ days, from, to }, index) => {
      const where = `quietHours.periods[${index}].`
      const known = WEEKDAYS.filter((day) => days.includes(day))
      if (known.length === 0) throw invalid(`${where}days: expected at least one day`)
      if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(from))
        throw invalid(`${where}from: expected a time from "00:00" to "23:59", got ${show(from)}`)
      if (!/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/.test(to) || to === from)
        throw invalid(
          `${where}to: expected a time from "00:00" to "24:00" other than from, got ${show(to)}`,
        )
      return { days: known, from, to }
    }),
  }
}

const isZone = (timeZone: string): boolean => {
  if (timeZone === '' || timeZone.length > MAX_ZONE) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}

/**
 * Returns true within quiet hours. Clocks of the time zone decide, so that a period is an hour shorter or longer in a
 * night in which they change.
 */
export const isQuiet = (quietHours: QuietHours | null, now: string): boolean => {
  if (quietHours === null) return false
  const { day, minute } = localTime(quietHours.timeZone, now)
  const dayBefore = (day + 6) % 7
  return quietHours.periods.some(({ days, from, to }) => {
    const begins = (weekday: number) => days.includes(WEEKDAYS[weekday] as Weekday)
    const [start, end] = [minutesOf(from), minutesOf(to)]
    if (start < end) return begins(day) && minute >= start && minute < end
    return (begins(day) && minute >= start) || (begins(dayBefore) && minute < end)
  })
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

const SHORT_DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** Returns the day of the week, 0 for Monday, and the minute of the day. */
const localTime = (timeZone: string, now: string): { day: number; minute: number } => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const parts = new Map(format.formatToParts(new Date(now)).map(({ type, value }) => [type, value]))
  return {
    day: SHORT_DAYS.indexOf(parts.get('weekday') ?? ''),
    minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
  }
}
