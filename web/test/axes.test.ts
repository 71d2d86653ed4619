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
  const now = new Date('2026-12-01T00:00:00')
  expect(timeLabels([noon, noon + 86_400], 86_400, now)).toEqual(['21 Nov', '22 Nov'])
  expect(timeLabels([noon, noon + 21_600, noon + 43_200], 21_600, now)).toEqual([
    '12:00\n21 Nov',
    '18:00',
    '00:00\n22 Nov',
  ])
})

test('a time axis names each year that is not the present one, where it begins', () => {
  const now = new Date('2026-12-01T00:00:00')
  const at = (day: string) => Date.parse(`${day}T00:00:00`) / 1000
  const ticks = ['2024-05-01', '2024-11-01', '2025-05-01', '2026-05-01'].map(at)
  expect(timeLabels(ticks, 184 * 86_400, now)).toEqual([
    '1 May\n2024',
    '1 Nov',
    '1 May\n2025',
    '1 May\n2026',
  ])
  const night = at('2024-05-02')
  expect(timeLabels([night, night + 21_600], 21_600, now)).toEqual(['00:00\n2 May 2024', '06:00'])
})
