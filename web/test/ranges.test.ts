import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isRange, rangeFilter } from '../src/list/range/range-select.js'

const HOUR = 3_600_000
const now = Math.floor(Date.now() / HOUR) * HOUR

interface Condition {
  field: string
  operator: 'gte' | 'lt'
  value: string
}

const isIn = (range: string | undefined, moment: number): boolean =>
  (rangeFilter(range, 'startedAt', now) as Condition[]).every(({ operator, value }) =>
    operator === 'gte' ? moment >= Date.parse(value) : moment < Date.parse(value),
  )

describe('a range up to now', () => {
  test.each(['1h', '24h', '7d', '30d', '90d'])(
    '%s has now, and no moment of another year',
    (range) => {
      expect(isIn(range, Date.now())).toBe(true)
      for (const wrong of ['0001-01-01', '1969-12-31', '1970-01-01', '2100-01-01', '9999-12-31'])
        expect(isIn(range, Date.parse(wrong))).toBe(false)
    },
  )

  test('has a clock that is an hour ahead, and none that is a day ahead', () => {
    expect(isIn('7d', Date.now() + HOUR)).toBe(true)
    expect(isIn('7d', Date.now() + 24 * HOUR)).toBe(false)
  })

  test('of creations has no end, as the clock is that of the service', () => {
    expect(rangeFilter('7d', 'createdAt', now)).toEqual([
      { field: 'createdAt', operator: 'gte', value: expect.any(String) },
    ])
  })
})

test('a range between two moments has exactly those from the first to before the second', () => {
  const moment = fc.integer({ min: Date.parse('1900-01-01'), max: Date.parse('2200-01-01') })
  fc.assert(
    fc.property(moment, moment, moment, (one, other, at) => {
      fc.pre(one !== other)
      const [from, to] = [Math.min(one, other), Math.max(one, other)]
      const range = `${new Date(from).toISOString()}..${new Date(to).toISOString()}`
      expect(isIn(range, at)).toBe(at >= from && at < to)
    }),
  )
})

test('without a range, any moment passes', () => {
  expect(rangeFilter(undefined, 'startedAt', now)).toEqual([])
})

test.each(['2026-02-01..2026-01-01', '2026-01-01..2026-01-01', '2026-01-01..never', '..'])(
  '%s is no range: all time stands in for it, as the notice says',
  (range) => {
    expect(isRange(range)).toBe(false)
    expect(rangeFilter(range, 'startedAt', now)).toEqual([])
  },
)

test('a range may be open at one end', () => {
  for (const range of ['2026-01-01..', '..2026-01-01']) {
    expect(isRange(range)).toBe(true)
    expect(rangeFilter(range, 'startedAt', now)).toHaveLength(1)
  }
})
