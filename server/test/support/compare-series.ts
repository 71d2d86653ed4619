import { expect } from 'vitest'
import type { Series } from '../../src/domain/metrics/series.js'

/** Expects the same series of scores, but for the digits that the order of additions decides: rounded, two could differ still. */
export const expectSameSeries = (found: readonly Series[], wanted: readonly Series[]): void => {
  expect(found.map(countsOf)).toEqual(wanted.map(countsOf))
  const [numbers, others] = [found.flatMap(numbersOf), wanted.flatMap(numbersOf)]
  for (const [at, number] of numbers.entries()) {
    const other = others[at] ?? null
    if (number === null || other === null) expect(number).toBe(other)
    else expect(Math.abs(number - other)).toBeLessThanOrEqual(1e-5 * (1 + Math.abs(other)))
  }
}

const placesOf = ({ total, buckets }: Series) => [total, ...buckets]

const countsOf = (series: Series) => ({
  key: series.key,
  isRest: series.isRest,
  counts: placesOf(series).map(({ start, count }) => [start, count]),
})

const numbersOf = (series: Series) =>
  placesOf(series).flatMap(({ mean, deviation }) => [mean, deviation])
