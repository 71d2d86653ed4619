import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { logTicks, timeLabels } from '../src/charts/axes.js'

vi.stubGlobal('localStorage', { getItem: () => null })

test('a logarithmic axis has four lines at most, all of them on it', () => {
  expect(logTicks(1, 100)).toEqual([1, 10, 100])
  expect(logTicks(1, 10)).toEqual([1, 5, 10])
  const exponent = fc.integer({ min: -6, max: 8 })
  fc.assert(
    fc.property(exponent, fc.integer({ min: 1, max: 12 }), (from, decades) => {
      const [least, most] = [10 ** from, 10 ** (from + decades)]
      const ticks = logTicks(least, most)
      expect(ticks.length).toBeGreaterThan(0)
      expect(ticks.length).toBeLessThanOrEqual(4)
      for (const tick of ticks) {
        expect(tick).toBeGreaterThanOrEqual(least * 0.999)
        expect(tick).toBeLessThanOrEqual(most * 1.001)
      }
    }),
  )
})

test('a time axis names the day once, where it begins', () => {
  const noon = Date.parse('2026-11-21T12:00:00') / 1000
  expect(timeLabels([noon, noon + 86_400], 86_400)).toEqual(['21 Nov', '22 Nov'])
  expect(timeLabels([noon, noon + 21_600, noon + 43_200], 21_600)).toEqual([
    '12:00\n21 Nov',
    '18:00',
    '00:00\n22 Nov',
  ])
})
