import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byCodePoint } from '../src/lists/by-code-point.js'

test('texts of any characters are in the order of their bytes', () => {
  // Characters of each length in bytes, around the pairs.
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom('a', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '🀄'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 4,
  })
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(Math.sign(byCodePoint(one, other))).toBe(
        Buffer.compare(Buffer.from(one), Buffer.from(other)),
      )
    }),
    { numRuns: 2000 },
  )
})
