import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agreement, type JudgementPair } from '../src/statistics/index.js'
import { random } from '../src/statistics/numbers/random.js'

const table = (counts: readonly (readonly number[])[]): JudgementPair[] =>
  counts.flatMap((row, human) =>
    row.flatMap((count, judge) => Array.from({ length: count }, () => ({ human, judge }))),
  )

test('kappa is that of the tables in the literature', () => {
  // Fleiss, Cohen and Everitt (1969), table 1: 200 pairs in three categories; kappa 0.429.
  const pairs = table([
    [106, 10, 4],
    [22, 28, 10],
    [2, 12, 6],
  ])
  const { kappa, interval, same } = agreement(pairs)
  expect(same).toBe(0.7)
  expect(kappa).toBeCloseTo(0.429, 3)
  // Their standard error is 0.054; a few pairs by chance widen the interval and draw it down.
  expect(((interval?.high ?? 0) - (interval?.low ?? 0)) / 2 / 1.972).toBeCloseTo(0.054, 2)
})

test('quadratic weights forgive small differences more than large ones', () => {
  const near = table([
    [5, 5, 0],
    [0, 5, 5],
    [0, 0, 5],
  ])
  const far = near.map(({ human, judge }) => ({
    human,
    judge: human === judge ? judge : 2 - human,
  }))
  const weighted = (pairs: JudgementPair[]) => agreement(pairs, { weights: 'quadratic' }).kappa ?? 0
  expect(weighted(near)).toBeGreaterThan(agreement(near).kappa ?? 0)
  expect(weighted(far)).toBeLessThan(weighted(near))
})

const pair = fc.record({
  human: fc.integer({ min: 0, max: 3 }),
  judge: fc.integer({ min: 0, max: 3 }),
  group: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
})
const pairsOf = fc.array(pair, { minLength: 2, maxLength: 40 })
const weights = fc.constantFrom('none' as const, 'quadratic' as const)

test('the interval holds kappa, and both are from -1 to 1', () => {
  fc.assert(
    fc.property(pairsOf, weights, (pairs, one) => {
      const { kappa, interval } = agreement(pairs, { weights: one })
      if (kappa === null || interval === null) return
      expect(kappa).toBeLessThanOrEqual(1)
      expect(interval.low).toBeLessThanOrEqual(kappa)
      expect(interval.high).toBeGreaterThanOrEqual(kappa)
      expect(interval.low).toBeGreaterThanOrEqual(-1)
      expect(interval.high).toBeLessThanOrEqual(1)
    }),
  )
})

test('kappa knows neither order nor sides, and quadratic weights no unit', () => {
  fc.assert(
    fc.property(pairsOf, weights, (pairs, one) => {
      const { kappa } = agreement(pairs, { weights: one })
      const swapped = pairs.map(({ human, judge }) => ({ human: judge, judge: human })).reverse()
      const scaled = pairs.map(({ human, judge }) => ({
        human: 8 * human - 3,
        judge: 8 * judge - 3,
      }))
      for (const other of [swapped, scaled]) {
        const found = agreement(other, { weights: one }).kappa
        if (kappa === null) expect(found).toBeNull()
        else expect(found).toBeCloseTo(kappa, 9)
      }
    }),
  )
})

test('two values have the same kappa with both weights', () => {
  const binary = fc.array(fc.record({ human: fc.nat(1), judge: fc.nat(1) }), { minLength: 2 })
  fc.assert(
    fc.property(binary, (pairs) => {
      const plain = agreement(pairs)
      const weighted = agreement(pairs, { weights: 'quadratic' })
      if (plain.kappa === null) expect(weighted.kappa).toBeNull()
      else expect(weighted.kappa).toBeCloseTo(plain.kappa, 9)
    }),
  )
})

test('few pairs that all agree leave a doubt, which more of them take away', () => {
  const all = (count: number) =>
    table([
      [count, 0],
      [0, count],
    ])
  const lows = [3, 10, 50, 500].map((count) => agreement(all(count)).interval?.low ?? 0)
  expect(lows).toEqual(lows.toSorted((one, other) => one - other))
  expect(lows[0]).toBeLessThan(0.4)
  expect(lows[3]).toBeGreaterThan(0.95)
  expect(agreement(all(3)).kappa).toBe(1)
})

test('pairs of one group say no more than one of them', () => {
  const pairs = table([
    [8, 2],
    [2, 8],
  ])
  const repeated = pairs.flatMap((one, index) =>
    Array.from({ length: 5 }, () => ({ ...one, group: `g${index}` })),
  )
  const width = ({ interval }: ReturnType<typeof agreement>) =>
    (interval?.high ?? 9) - (interval?.low ?? 0)
  expect(width(agreement(repeated))).toBeGreaterThan(0.8 * width(agreement(pairs)))
  expect(agreement(repeated)).toMatchObject({ pairs: 100, groups: 20 })
})

test('nothing is said of pairs of one and the same value, of one group, or of none', () => {
  expect(agreement([])).toEqual({ pairs: 0, groups: 0, same: 0, kappa: null, interval: null })
  expect(agreement(table([[9]]))).toMatchObject({ kappa: null, interval: null, same: 1 })
  const one = table([
    [4, 1],
    [1, 4],
  ]).map((two) => ({ ...two, group: 'g' }))
  expect(agreement(one)).toMatchObject({ kappa: 0.6, interval: null })
})

test('values that are no numbers are named', () => {
  expect(() => agreement([{ human: Number.NaN, judge: 1 }])).toThrow('expected finite numbers')
  expect(() => agreement([], { confidence: 1 })).toThrow('confidence: expected a number between')
})

// Judges that say the truth with a chance of kappa, and guess otherwise.
test.each([
  [0.4, 0.2, 10],
  [0.8, 0.5, 20],
  [0.95, 0.2, 50],
])(
  'intervals hold the true kappa %d of judgements of which %d are yes, with %i pairs',
  (kappa, share, count) => {
    const next = random(7)
    const yes = () => (next() < share ? 1 : 0)
    let [held, told] = [0, 0]
    for (let run = 0; run < 600; run++) {
      const pairs = Array.from({ length: count }, () => {
        const human = yes()
        return { human, judge: next() < kappa ? human : yes() }
      })
      const { interval } = agreement(pairs)
      if (interval === null) continue
      told++
      if (interval.low <= kappa && kappa <= interval.high) held++
    }
    expect(held / told).toBeGreaterThan(0.94)
  },
)
