import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { drawnValues, strokeAndPoints } from '../src/charts/drawn-values.js'
import { drawingOf, emptyTextOf, linesOf, type Metric, rowsOf } from '../src/charts/series.js'
import type { Series } from '../src/charts/use-measure.js'

const BUCKET_SECONDS = 60
const STARTS = [0, 60, 120, 180]

const nothing = {
  start: null,
  count: 0,
  errorCount: 0,
  p50: null,
  p95: null,
  p99: null,
  inputTokens: 0,
  outputTokens: 0,
  tokens: 0,
  cost: null,
  unpricedCount: 0,
  mean: null,
  deviation: null,
}

/** A series with measurements in some buckets; the service leaves out the others. */
const seriesOf = (
  key: string | null,
  buckets: Record<number, Partial<Series['total']>>,
  isRest = false,
): Series => ({
  key,
  isRest,
  total: nothing,
  buckets: Object.entries(buckets).map(([index, measured]) => ({
    ...nothing,
    ...measured,
    start: new Date((STARTS[Number(index)] ?? 0) * 1000).toISOString(),
  })),
})

const drawn = (series: readonly Series[], metric: Metric, now?: number) => {
  const lines = linesOf(series, metric, STARTS, BUCKET_SECONDS, now)
  const drawing = drawingOf(metric, lines, series.length)
  return { ...drawing, lines, values: drawnValues(lines, drawing) }
}

describe('a chart that is split', () => {
  const measured = fc.record({
    count: fc.integer({ min: 1, max: 100 }),
    p95: fc.double({ min: 0.001, max: 1000, noNaN: true }),
    mean: fc.double({ min: -5, max: 5, noNaN: true }),
    tokens: fc.nat(10_000),
  })
  const split = fc
    .uniqueArray(fc.string(), { minLength: 2, maxLength: 5 })
    .chain((keys) =>
      fc.tuple(
        ...keys.map((key) =>
          fc
            .dictionary(fc.constantFrom('0', '1', '2', '3'), measured)
            .map((buckets) =>
              seriesOf(
                key,
                Object.fromEntries(
                  Object.entries(buckets).map(([at, one]) => [
                    at,
                    { ...one, errorCount: Math.floor(one.count / 2) },
                  ]),
                ),
              ),
            ),
        ),
      ),
    )

  test('draws means, shares and percentiles separately, none stacked on another', () => {
    fc.assert(
      fc.property(
        split,
        fc.constantFrom<Metric>('mean', 'errors', 'percentiles'),
        (series, what) => {
          const { kind, isStacked, values } = drawn(series, what)
          expect({ kind, isStacked }).toEqual({ kind: 'lines', isStacked: false })
          for (const [index, one] of series.entries())
            for (const [at, start] of STARTS.entries()) {
              const bucket = one.buckets.find(
                (found) => found.start === new Date(start * 1000).toISOString(),
              )
              const own =
                bucket === undefined
                  ? null
                  : what === 'mean'
                    ? bucket.mean
                    : what === 'errors'
                      ? bucket.errorCount / bucket.count
                      : bucket.p95
              expect(values[index]?.[at]).toBe(own)
            }
        },
      ),
    )
  })

  test('stacks counts and tokens, which together are the whole', () => {
    fc.assert(
      fc.property(split, fc.constantFrom<Metric>('count', 'tokens'), (series, what) => {
        const { kind, isStacked, values } = drawn(series, what)
        expect({ kind, isStacked }).toEqual({ kind: 'bars', isStacked: true })
        for (const [at, start] of STARTS.entries()) {
          const whole = series
            .flatMap(({ buckets }) => buckets)
            .filter((bucket) => bucket.start === new Date(start * 1000).toISOString())
            .reduce((sum, bucket) => sum + (bucket[what === 'count' ? 'count' : 'tokens'] ?? 0), 0)
          expect(values[0]?.[at]).toBe(whole)
        }
      }),
    )
  })
})

test('leaves a gap for a missing value in an empty bucket, and draws 0 for a count', () => {
  const one = seriesOf(null, { 1: { count: 4, errorCount: 1, p50: 0.5, mean: 0.25, tokens: 7 } })
  expect(drawn([one], 'mean').values).toEqual([[null, 0.25, null, null]])
  expect(drawn([one], 'errors').values).toEqual([[null, 0.25, null, null]])
  expect(drawn([one], 'percentiles').values[0]).toEqual([null, 0.5, null, null])
  expect(drawn([one], 'count').values).toEqual([[0, 4, 0, 0]])
  expect(drawn([one], 'tokens').values[0]).toEqual([0, 7, 0, 0])
})

test('draws no count yet for a bucket that has not begun', () => {
  const one = seriesOf(null, { 1: { count: 4 } })
  expect(drawn([one], 'count', 125).values).toEqual([[0, 4, 0, null]])
})

test('names a duration of 0, though a logarithmic scale has no place for it', () => {
  const { lines, values } = drawn([seriesOf(null, { 0: { p50: 0 }, 1: { p50: 2 } })], 'percentiles')
  expect(lines[0]?.values).toEqual([0, 2, null, null])
  expect(values[0]).toEqual([null, 2, null, null])
})

test('names a lone series without a value by what it is: all rows, or those of a split that recorded none', () => {
  const one = seriesOf(null, { 0: { count: 2, tokens: 5 } })
  const namesOf = (isSplit: boolean, metric: Metric) =>
    linesOf([one], metric, STARTS, BUCKET_SECONDS, undefined, { isSplit }).map(({ name }) => name)
  expect(namesOf(false, 'count')).toEqual(['all'])
  expect(namesOf(true, 'count')).toEqual(['not recorded'])
  expect(namesOf(true, 'tokens')).toEqual(['not recorded'])
  expect(namesOf(false, 'tokens')).toEqual(['in and out', 'out'])
})

test('counts the rows behind a bucket once, over all series', () => {
  const series = [
    seriesOf('a', { 1: { count: 4, errorCount: 1 } }),
    seriesOf(null, { 1: { count: 2, errorCount: 2 }, 3: { count: 1 } }, true),
  ]
  expect(rowsOf(series, STARTS, BUCKET_SECONDS)).toEqual([
    { count: 0, errorCount: 0 },
    { count: 6, errorCount: 3 },
    { count: 0, errorCount: 0 },
    { count: 1, errorCount: 0 },
  ])
})

test('draws each value once: as a point of many values or of few, and a percentile of few without a line', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.option(fc.double({ noNaN: true })), fc.nat(60))),
      fc.boolean(),
      (points, needsMany) => {
        const values = points.map(([value]) => value)
        const counts = points.map(([, count]) => count)
        const { stroke, firm, hollow } = strokeAndPoints(values, counts, needsMany)
        expect(firm.map((value, index) => value ?? hollow[index])).toEqual(values)
        expect(stroke).toEqual(needsMany ? firm : values)
        for (const [index, count] of counts.entries())
          expect((count < 20 ? firm : hollow)[index]).toBe(null)
      },
    ),
  )
})

test('says that a chart has nothing to draw, and of what', () => {
  const emptyOf = (buckets: Parameters<typeof seriesOf>[1], metric: Metric) =>
    emptyTextOf(linesOf([seriesOf(null, buckets)], metric, STARTS, BUCKET_SECONDS), 'runs', metric)
  expect(emptyOf({}, 'count')).toBe('No runs in this range.')
  expect(emptyOf({ 0: { count: 3 } }, 'count')).toBe(undefined)
  expect(emptyOf({ 0: { count: 3 } }, 'percentiles')).toContain('No durations')
  expect(emptyOf({ 0: { count: 3, cost: null } }, 'cost')).toContain('No prices')
  expect(emptyOf({ 0: { count: 3, cost: 0 } }, 'cost')).toBe(undefined)
})
