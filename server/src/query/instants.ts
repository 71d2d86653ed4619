/** A time of day without a zone: JavaScript takes it as local, and a service has no place. */
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/

/** Returns true for a text that is a moment between the years 1 and 9999. */
export const isInstant = (text: string): boolean => {
  const moment = Date.parse(text)
  return !Number.isNaN(moment) && /^(?!0000)\d{4}-/.test(new Date(moment).toISOString())
}

/** Reads a moment; one without a zone is in UTC. */
export const readInstant = (text: string): string =>
  new Date(WITHOUT_ZONE.test(text) ? `${text}Z` : text).toISOString()
