import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shuffled } from '../src/stats/random.js'

test('a shuffle loses nothing, adds nothing, and is the same for the same seed', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), fc.nat(), (items, seed) => {
      const once = shuffled(items, seed)
      expect(once).toEqual(shuffled(items, seed))
      expect(once.toSorted((a, b) => a - b)).toEqual(items.toSorted((a, b) => a - b))
    }),
  )
})

test('another seed is another order', () => {
  const items = Array.from({ length: 100 }, (_, index) => index)
  expect(shuffled(items, 1)).not.toEqual(items)
  expect(shuffled(items, 1)).not.toEqual(shuffled(items, 2))
})
