import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { THREAD_LANGUAGE } from '../src/filter/fields.js'
import { parseFilter } from '../src/filter/language.js'
import { queryText } from '../src/filter/query-text.js'
import { dayOf, fromLocal, startOfDay, toLocal } from '../src/format/local-time.js'
import { dayAndTime, moment } from '../src/format/time.js'
import { forgetZone } from '../src/format/zone.js'

const ZONES = [
  'UTC',
  'America/St_Johns',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Europe/Amsterdam',
  'Pacific/Chatham',
]

const TZ = process.env.TZ
/** Makes a zone that of the browser, whose viewer may have chosen times in UTC. */
const beIn = (place: string, setting: 'local' | 'utc' = 'local') => {
  process.env.TZ = place
  vi.stubGlobal('localStorage', { getItem: () => setting })
  forgetZone()
}
afterEach(() => {
  if (TZ === undefined) delete process.env.TZ
  else process.env.TZ = TZ
  vi.unstubAllGlobals()
  forgetZone()
})

/** Returns what clocks of a place show, by another way than the code: as a person reads it. */
const clockOf = (place: string, moment: Date): string =>
  new Intl.DateTimeFormat('sv', {
    timeZone: place,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
    .format(moment)
    .replace(' ', 'T')

const minutes = fc
  .integer({ min: Date.parse('1975-01-01') / 60_000, max: Date.parse('2036-01-01') / 60_000 })
  .map((minute) => new Date(minute * 60_000))

describe.each(ZONES)('in %s', (place) => {
  test.each(['local', 'utc'] as const)('a local time is that of %s clocks', (setting) => {
    beIn(place, setting)
    const shown = setting === 'utc' ? 'UTC' : place
    fc.assert(
      fc.property(minutes, (moment) => {
        const text = clockOf(shown, moment)
        expect(toLocal(moment)).toBe(text)
        expect(dayOf(moment)).toBe(text.slice(0, 10))
        const read = fromLocal(text)
        // When clocks are set back they show a time twice, of which the first counts.
        expect(read && clockOf(shown, read)).toBe(text)
        expect(read?.getTime()).toBeLessThanOrEqual(moment.getTime())
      }),
    )
  })

  test('a day begins when the clocks turn to it, and ends with the next', () => {
    beIn(place)
    fc.assert(
      fc.property(minutes, (moment) => {
        // Where clocks are set back over midnight, as in St. John's until 2011, the evening comes again after the next day
        // has begun. The evening that counts is the first.
        fc.pre(fromLocal(toLocal(moment))?.getTime() === moment.getTime())
        const day = dayOf(moment)
        const [start, end] = [startOfDay(day), startOfDay(day, 1)]
        expect(start && moment >= start && end && moment < end).toBe(true)
        expect(start && dayOf(start)).toBe(day)
        expect(end && dayOf(end)).not.toBe(day)
      }),
    )
  })
})

test.each([
  ['America/New_York', '2026-11-01T05:15:00Z', '1 Nov 01:15 GMT-4', '1 Nov 01:15 GMT-5'],
  ['Europe/Amsterdam', '2026-10-25T00:59:00Z', '25 Oct 02:59 CEST', '25 Oct 02:59 CET'],
  ['America/New_York', '2026-11-01T03:59:00Z', '31 Oct 23:59', '1 Nov 00:59'],
  ['America/New_York', '2026-11-01T07:00:00Z', '1 Nov 02:00', '1 Nov 03:00'],
  ['America/New_York', '2026-03-08T06:59:00Z', '8 Mar 01:59', '8 Mar 03:59'],
  ['Asia/Kathmandu', '2026-11-01T05:15:00Z', '1 Nov 11:00', '1 Nov 12:00'],
])('in %s %s is %s, and an hour later %s', (place, iso, text, later) => {
  beIn(place)
  const now = new Date('2026-12-01T12:00:00Z')
  const next = new Date(Date.parse(iso) + 3_600_000).toISOString()
  for (const shown of [moment, dayAndTime])
    expect([shown(iso, now), shown(next, now)]).toEqual([text, later])
})

describe('a filter by time', () => {
  const sent = (text: string) => queryText(parseFilter(text, THREAD_LANGUAGE).nodes)

  test.each([
    ['America/St_Johns', 'local', '2026-11-27', '2026-11-27T03:30:00.000Z'],
    ['America/St_Johns', 'local', '2026-11', '2026-11-01T02:30:00.000Z'],
    ['America/St_Johns', 'local', '2026-11-27T00:00', '2026-11-27T03:30:00.000Z'],
    ['Asia/Kolkata', 'local', '2026-11-27', '2026-11-26T18:30:00.000Z'],
    ['Asia/Kolkata', 'utc', '2026-11-27T05:00', '2026-11-27T05:00:00.000Z'],
    ['Asia/Kolkata', 'utc', '2026-11-27', '2026-11-27T00:00:00.000Z'],
    // An hour that the clocks skip.
    ['Europe/Amsterdam', 'local', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
    // An hour that they repeat.
    ['Europe/Amsterdam', 'local', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
    ['Asia/Kolkata', 'local', '2026-11-27T05:00Z', '2026-11-27T05:00Z'],
    ['Asia/Kolkata', 'local', '0001-01-01', '0001-01-01'],
  ] as const)('in %s with times in %s, %s is %s', (place, setting, day, moment) => {
    beIn(place, setting)
    expect(sent(`time>=${day}`)).toContain(moment)
  })
})
