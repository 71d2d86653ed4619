import { zone } from '../format/zone.js'

const SECONDS_AT = 16

/** Returns a moment as the fields of browsers take it: to the minute, in the zone of shown times. */
export const toField = (moment: Date): string => {
  if (zone() === 'UTC') return moment.toISOString().slice(0, SECONDS_AT)
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, SECONDS_AT)
}

/** Returns the moment of such a field; undefined for one that is empty or no time. */
export const fromField = (value: string): Date | undefined => {
  const moment = new Date(zone() === 'UTC' ? `${value}Z` : value)
  return value === '' || Number.isNaN(moment.getTime()) ? undefined : moment
}
