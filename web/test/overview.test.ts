import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvOf } from '../src/charts/csv.js'
import { rowsBehind } from '../src/charts/rows-behind.js'
import { STEP_LANGUAGE, THREAD_LANGUAGE } from '../src/filter/fields.js'
import { parseFilter } from '../src/filter/language.js'
import { bucketsOf, lengthName } from '../src/format/buckets.js'
import { periodBefore } from '../src/format/period-before.js'
import { spanOf } from '../src/list/range/span.js'
import { environmentOf } from '../src/list/range/use-span.js'
import { changeOf, changeOfMeans } from '../src/pages/overview/changes.js'

const NOW = Date.parse('2026-03-29T12:34:56Z')

describe('a range', () => {
  test('ends with the running minute, ten minutes or hour, and has buckets as long as a unit of time', () => {
    expect(spanOf('1h', NOW)?.to).toBe('2026-03-29T12:35:00.000Z')
    expect(spanOf('24h', NOW)?.to).toBe('2026-03-29T12:40:00.000Z')
    expect(spanOf('7d', NOW)).toEqual({
      from: '2026-03-22T13:00:00.000Z',
      to: '2026-03-29T13:00:00.000Z',
      buckets: 56,
    })
    const names = ['1h', '24h', '7d', '30d', '90d'].map((range) => {
      const { from, to, buckets } = spanOf(range, NOW) ?? { from: '', to: '', buckets: 1 }
      return lengthName((Date.parse(to) - Date.parse(from)) / 1000 / buckets)
    })
    expect(names).toEqual(['minute', '30 minutes', '3 hours', '12 hours', '2 days'])
  })

  test('of any length has buckets that fill it, few enough to tell apart', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 * 86_400 }), (seconds) => {
        const buckets = bucketsOf(seconds)
        expect(Number.isInteger(buckets)).toBe(true)
        expect(buckets).toBeGreaterThanOrEqual(20)
        expect(buckets).toBeLessThanOrEqual(60)
        expect(lengthName(seconds / buckets)).not.toMatch(/NaN|undefined/)
      }),
    )
  })

  test('is compared with the same part of the period before it', () => {
    const span = spanOf('7d', NOW) ?? { from: '', to: '' }
    expect(periodBefore(span, NOW)).toEqual({
      before: '2026-03-15T13:00:00.000Z',
      beforeTo: '2026-03-22T12:35:00.000Z',
    })
    // One that has ended, with all of it.
    expect(periodBefore(span, NOW + 7_200_000).beforeTo).toBe(span.from)
    const future = { from: '2026-04-01T00:00:00.000Z', to: '2026-04-02T00:00:00.000Z' }
    expect(periodBefore(future, NOW)).toEqual({
      before: '2026-03-31T00:00:00.000Z',
      beforeTo: '2026-03-31T00:00:00.001Z',
    })
  })

  test('of years or of moments has buckets whose length can be said', () => {
    const lengthOf = (range: string) => {
      const { from, to, buckets } = spanOf(range, NOW) ?? { from: '', to: '', buckets: 0 }
      return [buckets, lengthName((Date.parse(to) - Date.parse(from)) / 1000 / buckets)]
    }
    expect(lengthOf('2024-01-01T00:00:00Z..2026-12-01T00:00:00Z')).toEqual([48, '≈ 3.2 weeks'])
    expect(lengthOf('1900-01-01T00:00:00Z..2100-01-01T00:00:00Z')).toEqual([48, '≈ 4.2 years'])
    expect(lengthOf('2024-05-02T08:00:00.000Z..2024-05-02T08:00:00.001Z')).toEqual([
      1,
      'millisecond',
    ])
  })

  test('that the service can not compare with the one before it is none', () => {
    expect(spanOf('0001-01-01T00:00:00Z..9999-12-31T00:00:00Z', NOW)).toBe(undefined)
    expect(spanOf('1000-01-01T00:00:00Z..1999-01-01T00:00:00Z', NOW)).not.toBe(undefined)
  })

  test('without a sense is none', () => {
    for (const range of ['', 'x', 'toString', '..', '2026-01-02..2026-01-01', '2026..2027..2028'])
      expect(spanOf(range, NOW)).toBe(undefined)
  })
})

test('experiments are apart unless an address asks for them, and unknown environments are told from none', () => {
  expect(environmentOf(undefined)).toEqual({ environment: null, excludeExperiments: true })
  expect(environmentOf('all')).toEqual({ environment: null, excludeExperiments: false })
  expect(environmentOf('experiment')).toEqual({
    environment: 'experiment',
    excludeExperiments: false,
  })
  expect(environmentOf('constructor')).toBe(undefined)
})

describe('a change', () => {
  test('has a size, a direction and a judgement; none without a figure before', () => {
    expect(changeOf(120, 100)).toEqual({ text: '+20 %', word: '', isUp: true })
    expect(changeOf(9, 12, { good: 'down' })).toMatchObject({ text: '−25 %', word: 'better' })
    expect(changeOf(0.03, 0, { good: 'down', isShare: true })).toMatchObject({
      text: '+3 points',
      word: 'worse',
    })
    expect(changeOf(5, 0).text).toBe('')
    expect(changeOf(null, 5).text).toBe('')
    expect(changeOf(5, 5, { good: 'up' })).toMatchObject({ text: 'no change', word: '' })
  })

  test('of a mean is called one only beyond its doubt', () => {
    const measured = (mean: number, count: number, deviation: number | null) =>
      ({ mean, count, deviation }) as Parameters<typeof changeOfMeans>[0]
    expect(changeOfMeans(measured(0.8, 400, 0.2), measured(0.6, 400, 0.2))).toContain('higher')
    expect(changeOfMeans(measured(0.6, 400, 0.2), measured(0.8, 400, 0.2))).toContain('lower')
    expect(changeOfMeans(measured(0.8, 4, 0.4), measured(0.6, 4, 0.4))).toContain('no clear change')
    expect(changeOfMeans(measured(0.8, 1, null), measured(0.6, 4, 0.4))).toContain('too few')
    expect(changeOfMeans(measured(0.8, 4, 0.4), undefined)).toBe('')
  })
})

describe('the rows behind a bucket', () => {
  const ends = [0, 60] as const
  const extent = { from: '', to: '' }

  test('are named, and none are led to where there are none', () => {
    const rows = { count: 12, errorCount: 1 }
    expect(rowsBehind('steps', 'errors', ends, rows, extent, undefined)?.text).toBe('1 failed step')
    expect(rowsBehind('runs', 'percentiles', ends, rows, extent, undefined)?.text).toBe('12 runs')
    const none = { count: 3, errorCount: 0 }
    expect(rowsBehind('steps', 'errors', ends, none, extent, undefined)).toBe(undefined)
  })

  test('are the ones that the metric counts as failed', () => {
    const rows = { count: 12, errorCount: 2 }
    const failed = (subject: 'threads' | 'steps' | 'generations') =>
      rowsBehind(subject, 'errors', ends, rows, extent, undefined)
    expect(failed('generations')).toMatchObject({
      text: '2 failed generations',
      href: expect.stringMatching(/^\/generations\?.*&q=failure%3Aany$/),
    })
    expect(failed('steps')?.href).toContain('q=failure%3Aany')
    expect(failed('threads')?.href).toContain('q=error%3Aany')
  })

  test('are those of all conditions together, in the language of their list', () => {
    const link = (subject: 'runs' | 'threads', query: string) =>
      new URLSearchParams(
        rowsBehind(
          subject,
          'count',
          ends,
          { count: 1, errorCount: 0 },
          { ...extent, query, excludeExperiments: true },
          undefined,
        )?.href.replace(/^[^?]*/, ''),
      ).get('q') ?? ''
    for (const query of ['', 'name=a', 'name=a OR name=b', 'name="x OR y"'])
      for (const subject of ['runs', 'threads'] as const) {
        const language = subject === 'runs' ? STEP_LANGUAGE : THREAD_LANGUAGE
        const { nodes, mistakes } = parseFilter(link(subject, query), language)
        expect(mistakes).toEqual([])
        expect(nodes).toHaveLength((query === '' ? 0 : 1) + (subject === 'runs' ? 2 : 1))
      }
  })
})

test('figures as CSV keep every digit, leave out what was not measured, and start no formula', () => {
  const csv = csvOf({
    starts: [0, 60],
    bucketSeconds: 60,
    lines: [{ name: '=1+1, "x"', values: [1 / 3, null], counts: [3, 0] }],
  })
  expect(csv).toBe(
    [
      `from,to,"'=1+1, ""x""","'=1+1, ""x"", number of rows"`,
      '1970-01-01T00:00:00.000Z,1970-01-01T00:01:00.000Z,0.3333333333333333,3',
      '1970-01-01T00:01:00.000Z,1970-01-01T00:02:00.000Z,,0',
      '',
    ].join('\r\n'),
  )
})
