/**
 * A year, month, day or moment by ISO 8601. JavaScript reads many more texts, by guessing: `7` is a day in July 2001 to
 * it, by the clock of the place where it runs.
 */
const MOMENT =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?)?)?$/i

/** Returns a moment in its longest form, with all of its digits; undefined for a text that is none. */
const written = (text: string): string | undefined => {
  const [whole, year, month = '01', day = '01', time = '00:00', zone = 'Z'] =
    MOMENT.exec(text) ?? []
  if (whole === undefined) return undefined
  const offset =
    zone.length === 1 ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
  // JavaScript takes 30 February for a day in March.
  return new Date(`${year}-${month}-${day}`).getUTCDate() === Number(day)
    ? `${year}-${month}-${day}T${time}${offset}`
    : undefined
}

/** Returns true for a text that is a moment between the years 1 and 9999. */
export const isInstant = (text: string): boolean => {
  const moment = Date.parse(written(text) ?? '')
  return !Number.isNaN(moment) && /^(?!0000)\d{4}-/.test(new Date(moment).toISOString())
}

/**
 * Returns a year, month, day or moment without a zone in its longest form, such as `2026-11-21T00:00`: each place has one
 * of its own. Undefined for a text that has a zone, or is no moment.
 */
export const localTimeIn = (text: string): string | undefined => {
  const [whole, , , , , zone] = MOMENT.exec(text) ?? []
  return whole === undefined || zone !== undefined ? undefined : written(text)?.slice(0, -1)
}

/** Reads a moment; one without a zone is in UTC. */
export const readInstant = (text: string): string => written(text) ?? text
