import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  itemsFor,
  type Observation,
  passAtK,
  passHatK,
  smallestEffect,
  splitVariance,
} from '../src/statistics/index.js'
import { flipP } from '../src/statistics/numbers/binomial.js'
import { random } from '../src/statistics/numbers/random.js'
import {
  betaBelow,
  logGamma,
  studentAbove,
  studentQuantile,
} from '../src/statistics/numbers/student.js'

/** Items of which so many of `count` repetitions pass. */
const passes = (passed: readonly number[], count: number): Observation[] =>
  passed.flatMap((number, item) =>
    Array.from({ length: count }, (_, place) => ({
      item: `${item}`,
      value: place < number ? 1 : 0,
    })),
  )

// The number of the four trials of each task that GPT-4o passed in the published airline runs of τ-bench (MIT).
const AIRLINE = [
  0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 4, 2, 0, 2, 1, 1, 4, 0, 4, 3, 0, 0, 4, 0, 2, 2, 0, 1, 2, 2, 0,
  0, 3, 4, 4, 3, 4, 1, 3, 2, 4, 1, 2, 2, 2, 1, 4, 4,
]

test('pass^k of a published run is as published', () => {
  const run = passes(AIRLINE, 4)
  const found = [1, 2, 3, 4].map((k) => passHatK(run, k))
  expect(found.map(({ value }) => value.toFixed(3))).toEqual(['0.420', '0.273', '0.220', '0.200'])
  for (const { value, interval, items } of found) {
    expect(items).toBe(50)
    expect(interval?.low).toBeLessThan(value - 0.05)
    expect(interval?.high).toBeGreaterThan(value + 0.05)
  }
})

test('pass@1 and pass^1 are the share that passes, and each further repetition helps the one and harms the other', () => {
  const items = fc.array(fc.nat(6), { minLength: 2, maxLength: 20 })
  fc.assert(
    fc.property(items, (passed) => {
      const run = passes(passed, 6)
      const share = passed.reduce((sum, value) => sum + value, 0) / 6 / passed.length
      expect(passAtK(run, 1).value).toBeCloseTo(share, 12)
      expect(passHatK(run, 1).value).toBeCloseTo(share, 12)
      for (let k = 2; k <= 6; k++) {
        expect(passAtK(run, k).value).toBeGreaterThanOrEqual(passAtK(run, k - 1).value - 1e-12)
        expect(passHatK(run, k).value).toBeLessThanOrEqual(passHatK(run, k - 1).value + 1e-12)
        const { value, interval } = passHatK(run, k)
        expect(interval?.low).toBeLessThanOrEqual(value + 1e-9)
        expect(interval?.high).toBeGreaterThanOrEqual(value - 1e-9)
        expect(interval?.low).toBeGreaterThanOrEqual(0)
        expect(interval?.high).toBeLessThanOrEqual(1)
      }
    }),
  )
})

test('2 of 5 that pass: 1 − C(3, 2) / C(5, 2) and C(2, 2) / C(5, 2)', () => {
  const run = passes([2, 2], 5)
  expect(passAtK(run, 2).value).toBeCloseTo(0.7, 12)
  expect(passHatK(run, 2).value).toBeCloseTo(0.1, 12)
})

test('an item with fewer than k repetitions is left out and counted', () => {
  const run = [...passes([2, 1], 2), { item: 'once', value: 1 }]
  expect(passHatK(run, 2)).toMatchObject({ value: 0.5, items: 2, missing: 1 })
  expect(() => passHatK(run, 0)).toThrow('k: expected')
})

test('no pass in 50 items leaves up to about 7 in 100 possible', () => {
  const { value, interval } = passAtK(passes(Array(50).fill(0), 1), 1)
  expect(value).toBe(0)
  expect(interval?.low).toBe(0)
  expect(interval?.high).toBeGreaterThan(0.06)
  expect(interval?.high).toBeLessThan(0.08)
})

test('items in groups have a wider interval than on their own', () => {
  const run = passes(
    Array.from({ length: 50 }, (_, place) => (place % 10 < 5 ? 1 : 0)),
    1,
  )
  const grouped = run.map((one) => ({ ...one, group: `${Math.floor(Number(one.item) / 5)}` }))
  const width = ({ interval }: ReturnType<typeof passHatK>) =>
    (interval?.high ?? 0) - (interval?.low ?? 0)
  expect(width(passHatK(grouped, 1))).toBeGreaterThan(1.5 * width(passHatK(run, 1)))
})

test('Student’s t is that of the tables', () => {
  const quantiles = [
    [0.025, 1, 12.706204736],
    [0.025, 10, 2.228138852],
    [0.005, 1, 63.656741163],
    [0.05, 30, 1.697260887],
    [0.025, 120, 1.979930405],
  ] as const
  for (const [above, degrees, t] of quantiles) {
    expect(studentQuantile(above, degrees)).toBeCloseTo(t, 7)
    expect(studentAbove(t, degrees)).toBeCloseTo(above, 9)
  }
  expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 12)
  expect(logGamma(11)).toBeCloseTo(Math.log(3_628_800), 11)
  // The binomial distribution as a sum: 8 or more of 10 is 56 of 1,024.
  expect(betaBelow(0.5, 8, 3)).toBeCloseTo(56 / 1024, 12)
})

test('McNemar’s test counts coins', () => {
  expect(flipP(0, 0)).toBe(1)
  expect(flipP(4, 4)).toBe(1)
  expect(flipP(5, 0)).toBeCloseTo(2 / 32, 12)
  expect(flipP(1, 8)).toBeCloseTo((2 * 10) / 512, 12)
})

test('variance is split as it was made', () => {
  const next = random(3)
  const noise = (deviation: number) =>
    deviation * Math.sqrt(12) * ((next() + next() + next() + next()) / 2 - 1)
  const made = (between: number, within: number) =>
    Array.from({ length: 4000 }, (_, item) => {
      const mean = noise(between)
      return Array.from({ length: 2 }, () => ({ item: `${item}`, value: mean + noise(within) }))
    }).flat()
  const split = splitVariance(made(0.3, 0.1))
  expect((split?.betweenItems ?? 0) / (split?.withinItems ?? 1)).toBeGreaterThan(8)
  expect((split?.betweenItems ?? 0) / (split?.withinItems ?? 1)).toBeLessThan(10)
  expect(split?.advice).toBe('more items')
  expect(splitVariance(made(0.05, 0.3))?.advice).toBe('more repetitions')
  expect(
    splitVariance([
      { item: 'a', value: 1 },
      { item: 'b', value: 0 },
    ]),
  ).toBeNull()
})

test('the standard error of equal repetitions is that of the items’ means', () => {
  const means = [0.1, 0.5, 0.9, 0.2]
  const split = splitVariance(
    means.flatMap((mean, item) =>
      [-0.05, 0.05].map((off) => ({ item: `${item}`, value: mean + off })),
    ),
  )
  const mean = 1.7 / 4
  const squares = means.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  expect(split?.standardError).toBeCloseTo(Math.sqrt(squares / 3 / 4), 12)
})

test('four times the items show half the difference, and groups cost items', () => {
  const plan = { deviation: 0.4 }
  expect(
    smallestEffect({ ...plan, items: 1000 }) / smallestEffect({ ...plan, items: 4000 }),
  ).toBeCloseTo(2, 1)
  // (1.96 + 0.84) · 0.4 / √1,000
  expect(smallestEffect({ ...plan, items: 1000 })).toBeCloseTo(0.0355, 3)
  expect(smallestEffect({ ...plan, items: 100, groupSize: 5 })).toBeGreaterThan(
    2 * smallestEffect({ ...plan, items: 100 }),
  )
  expect(smallestEffect({ ...plan, items: 100, scores: 8 })).toBeGreaterThan(
    smallestEffect({ ...plan, items: 100 }),
  )
  expect(smallestEffect({ ...plan, items: 1 })).toBe(Number.POSITIVE_INFINITY)
  expect(() => smallestEffect({ deviation: -1, items: 10 })).toThrow('deviation')
})

test('the number of items for an effect is the smallest that shows it', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.02, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 5 }),
      (effect, groupSize) => {
        const plan = { deviation: 0.4, groupSize }
        const items = itemsFor({ ...plan, effect })
        expect(smallestEffect({ ...plan, items })).toBeLessThanOrEqual(effect)
        if (items > 2 * groupSize)
          expect(smallestEffect({ ...plan, items: items - 1 })).toBeGreaterThan(effect)
      },
    ),
  )
})

test('a tiny effect needs as many items as the normal distribution says, and none is too small', () => {
  // ((1.96 + 0.84) · 0.4 / effect)²
  const items = itemsFor({ deviation: 0.4, effect: 1e-9 })
  expect(items / ((2.801585 * 0.4) / 1e-9) ** 2).toBeCloseTo(1, 5)
  expect(itemsFor({ deviation: 0.4, effect: 1e-200 })).toBe(Number.POSITIVE_INFINITY)
  expect(() => itemsFor({ deviation: 1, effect: 1, groupSize: Number.POSITIVE_INFINITY })).toThrow(
    'groupSize',
  )
})
