import { count } from './number.js'
import { zone } from './zone.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Hours say nothing beside so many days. */
const MANY_DAYS = 10_000

const two = (value: number) => String(value).padStart(2, '0')

/** Formats milliseconds: `0.4 ms`, `842 ms`, `12.4 s`, `2 m 05 s`, `3 h 07 m`, `2 d 4 h`; unknown is `–`. */
export const duration = (ms: number | null | undefined): string => {
  if (ms == null || Number.isNaN(ms)) return '–'
  if (ms < 0) return `−${duration(-ms)}`
  if (ms < 9.95) return `${Number(ms.toFixed(1))} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59.95 * SECOND) return `${(ms / SECOND).toFixed(1)} s`
  const seconds = Math.round(ms / SECOND)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`
  const minutes = Math.round(ms / MINUTE)
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} m`
  const hours = Math.round(ms / HOUR)
  const days = Math.floor(hours / 24)
  return days < MANY_DAYS ? `${days} d ${hours % 24} h` : `${count(days)} d`
}

const format = (options: Intl.DateTimeFormatOptions) => {
  const made = new Map<string, Intl.DateTimeFormat>()
  return (date: Date): string => {
    const key = zone()
    let formatter = made.get(key)
    if (formatter === undefined) {
      formatter = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: key })
      made.set(key, formatter)
    }
    return formatter.format(date)
  }
}

const clock = format({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
const plainHourMinute = format({ hour: '2-digit', minute: '2-digit' })
const zonedHourMinute = format({ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' })
const dayMonth = format({ day: 'numeric', month: 'short' })
const dayMonthYear = format({ day: 'numeric', month: 'short', year: 'numeric' })
const exact = format({
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  timeZoneName: 'short',
})

/** Returns true for the times of day that come twice, as the clocks are set back. */
const isRepeated = (date: Date): boolean => {
  if (zone() === 'UTC') return false
  const behind = (by: number) => new Date(date.getTime() + by).getTimezoneOffset()
  return behind(HOUR) > behind(0) || behind(-HOUR) < behind(0)
}

const hourMinute = (date: Date): string =>
  (isRepeated(date) ? zonedHourMinute : plainHourMinute)(date)

/** Formats a moment: `14:03:12` today, `21 Nov 14:03` this year, else `21 Nov 2025 14:03`. */
export const moment = (iso: string, now = new Date()): string => {
  const date = new Date(iso)
  if (dayMonthYear(date) === dayMonthYear(now)) return clock(date)
  if (dayMonthYear(date).slice(-4) === dayMonthYear(now).slice(-4))
    return `${dayMonth(date)} ${hourMinute(date)}`
  return `${dayMonthYear(date)} ${hourMinute(date)}`
}

/** Formats a moment with milliseconds, for steps that are close together. */
export const momentWithMs = (iso: string, now = new Date()): string => {
  const date = new Date(iso)
  const ms = String(date.getMilliseconds()).padStart(3, '0')
  return dayMonthYear(date) === dayMonthYear(now) ? `${clock(date)}.${ms}` : moment(iso, now)
}

/** Formats a time of day for an axis, where its place tells which of two it is. */
export const hourAndMinute = (iso: string): string => plainHourMinute(new Date(iso))
export const day = (iso: string): string => dayMonth(new Date(iso))
export const year = (iso: string): string => dayMonthYear(new Date(iso)).split(' ').at(-1) ?? ''

/** Formats the beginning of a bucket: `21 Nov 14:00` this year, else `21 Nov 2025 14:00`. */
export const dayAndTime = (iso: string, now = new Date()): string => {
  const date = new Date(iso)
  const isThisYear = year(iso) === year(now.toISOString())
  return `${isThisYear ? dayMonth(date) : dayMonthYear(date)} ${hourMinute(date)}`
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

const ago = (iso: string, now = Date.now()): string => {
  const ms = new Date(iso).getTime() - now
  const [unit, size] = (
    [
      ['day', DAY],
      ['hour', HOUR],
      ['minute', MINUTE],
    ] as const
  ).find(([, length]) => Math.abs(ms) >= length) ?? ['second', SECOND]
  return relative.format(Math.round(ms / size), unit)
}

/** Formats a moment in full, for tooltips. */
export const full = (iso: string): string => `${exact(new Date(iso))} · ${ago(iso)}`
