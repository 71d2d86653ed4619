import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ExactSum } from '../src/domain/rollups/exact-sum.js'

const bigAndSmall = fc.oneof(
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
  fc.bigInt({ min: 10n ** 15n - 9n, max: 10n ** 15n + 9n }),
  fc.bigInt({ min: 2n ** 52n - 9n, max: 2n ** 53n + 9n }),
  fc.bigInt({ min: -999_999_999_999_999n, max: 999_999_999_999_999n }),
)

test('a sum is exact, however large and many the numbers are', () => {
  fc.assert(
    fc.property(fc.array(fc.option(bigAndSmall), { maxLength: 60 }), (numbers) => {
      const sum = new ExactSum()
      for (const number of numbers) sum.add(number?.toString() ?? null)
      const known = numbers.filter((number) => number !== null)
      const expected = known.length === 0 ? null : known.reduce((a, b) => a + b, 0n)
      expect(sum.value()).toBe(expected)
    }),
  )
})
