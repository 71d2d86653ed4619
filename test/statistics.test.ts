import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compare, compareScores, type Observation } from '../src/statistics/index.js'
import { random } from '../src/statistics/numbers/random.js'
import { holm } from '../src/statistics/scores.js'

const observations = (values: readonly number[], groupSize = 1): Observation[] =>
  values.map((value, place) => ({
    item: `${place}`,
    ...(groupSize > 1 ? { group: `${Math.floor(place / groupSize)}` } : {}),
    value,
  }))

/** Two runs over the same items: scores in eighths, which add up without rounding, and some groups. */
const runs = fc
  .record({
    pairs: fc.array(fc.tuple(fc.integer({ min: -8, max: 8 }), fc.integer({ min: -8, max: 8 })), {
      minLength: 1,
      maxLength: 60,
    }),
    groupSize: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ pairs, groupSize }) => ({
    base: observations(
      pairs.map(([value]) => value / 8),
      groupSize,
    ),
    candidate: observations(
      pairs.map(([, value]) => value / 8),
      groupSize,
    ),
  }))

const rounded = (value: number | undefined) =>
  value === undefined ? null : Math.round(value * 1e9) / 1e9 + 0

test('runs that change places have the mirrored difference, interval and verdict', () => {
  fc.assert(
    fc.property(runs, ({ base, candidate }) => {
      const one = compare(base, candidate)
      const other = compare(candidate, base)
      expect(rounded(other.difference)).toBe(rounded(-one.difference))
      expect(rounded(other.interval?.low)).toBe(
        rounded(one.interval ? -one.interval.high : undefined),
      )
      expect(rounded(other.interval?.high)).toBe(
        rounded(one.interval ? -one.interval.low : undefined),
      )
      expect(rounded(other.p)).toBe(rounded(one.p))
      const mirrored = { better: 'worse', worse: 'better' } as Record<string, string>
      expect(other.verdict).toBe(mirrored[one.verdict] ?? one.verdict)
    }),
  )
})

test('where lower is better, the verdict is the other one and the numbers stay', () => {
  fc.assert(
    fc.property(runs, ({ base, candidate }) => {
      const one = compare(base, candidate)
      const other = compare(base, candidate, { higherIsBetter: false })
      expect(rounded(other.difference)).toBe(rounded(one.difference))
      expect(rounded(other.interval?.low)).toBe(rounded(one.interval?.low))
      expect(other.verdict).toBe(compare(candidate, base).verdict)
    }),
  )
})

test('the order of items does not matter, nor where the repetitions of one lie among those of others', () => {
  const repeated = fc.array(
    fc.record({
      base: fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { maxLength: 3 }),
      candidate: fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { maxLength: 3 }),
      group: fc.integer({ min: 0, max: 9 }),
    }),
    { maxLength: 20 },
  )
  fc.assert(
    fc.property(repeated, fc.infiniteStream(fc.nat()), (items, places) => {
      const run = (side: 'base' | 'candidate') =>
        items.flatMap((one, item) =>
          one[side].map((value) => ({ item: `${item}`, group: `${one.group}`, value })),
        )
      const shuffled = (all: readonly Observation[]) => {
        const byItem = new Map<string, Observation[]>()
        for (const one of all) byItem.set(one.item, [...(byItem.get(one.item) ?? []), one])
        return all
          .map(({ item }) => ({ item, place: places.next().value ?? 0 }))
          .sort((a, b) => a.place - b.place)
          .flatMap(({ item }) => byItem.get(item)?.shift() ?? [])
      }
      const [base, candidate] = [run('base'), run('candidate')]
      expect(compare(shuffled(base), shuffled(candidate))).toEqual(compare(base, candidate))
    }),
  )
})

test('equal runs are rarely called different when one has ten repetitions and the other one', () => {
  const next = random(7)
  const passes = (count: number) =>
    Array.from({ length: 50 * count }, (_, place) => ({
      item: `${place % 50}`,
      value: next() < 0.97 ? 1 : 0,
    }))
  let alone = 0
  let together = 0
  for (let round = 0; round < 300; round++) {
    const runs = { base: passes(1), candidate: passes(10) }
    if (compare(runs.base, runs.candidate).verdict !== 'cannot tell') alone++
    if (compareScores({ runs }).runs.verdict !== 'cannot tell') together++
  }
  expect(alone).toBeLessThan(300 * 0.08)
  expect(together).toBe(alone)
})

test('of unequal numbers of repetitions the first ones count, and the others are counted as unused', () => {
  const base = observations([0, 1, 1, 0, 1, 0, 1])
  const candidate = observations([1, 1, 0, 1, 1, 1, 1])
  const once = compare(base, candidate)
  expect(once.unused).toBe(0)
  const later = observations([0, 0, 0])
  expect(compare(base, [...candidate, ...later])).toEqual({ ...once, unused: 3 })
  expect(compare([...base, ...later], candidate)).toEqual({ ...once, unused: 3 })
})

test('a difference by rounding is none, at any size of scores', () => {
  const size = fc.constantFrom(1e-9, 1, 1e9)
  fc.assert(
    fc.property(fc.double({ min: 0.1, max: 1, noNaN: true }), size, (value, factor) => {
      const run = (values: readonly number[]) =>
        Array.from({ length: 12 }, (_, item) =>
          values.map((one) => ({ item: `${item}`, value: one * factor })),
        ).flat()
      const { difference, verdict } = compare(
        run([value, value, value]),
        run([value + 0.1 - 0.1, value * 3 - 2 * value, (value / 7) * 7]),
      )
      expect([difference, verdict]).toEqual([0, 'cannot tell'])
      const better = compare(run([value]), run([value + 1e-6]))
      expect(better.verdict).toBe('better')
    }),
  )
})

test.each([
  [0.7, [0.7, 0.7, 0.7]],
  [0.3, [0.1 + 0.2]],
])('%d is as good as %s', (value, repeated) => {
  const base = observations(Array(12).fill(value))
  const candidate = repeated.flatMap((one) => observations(Array(12).fill(one)))
  const { difference, verdict } = compare(base, candidate)
  expect([difference, verdict]).toEqual([0, 'cannot tell'])
})

test('differences of a group that cancel but for rounding count as none', () => {
  const base = observations(Array(60).fill(0), 3)
  const candidate = observations(
    Array.from({ length: 60 }, (_, place) => [0.1, 0.2, -0.3][place % 3] ?? 0),
    3,
  )
  expect(compare(base, candidate)).toMatchObject({ difference: 0, p: 1, verdict: 'cannot tell' })
})

test('scores in another unit have the same verdict, and numbers in that unit', () => {
  fc.assert(
    fc.property(runs, fc.constantFrom(0.25, 4, 1024), ({ base, candidate }, factor) => {
      // Scores of 0 and 1 alone are known to be a share; those of 0 and 4 are not.
      fc.pre([...base, ...candidate].some(({ value }) => value !== 0 && value !== 1))
      const scaled = (all: readonly Observation[]) =>
        all.map((one) => ({ ...one, value: one.value * factor }))
      const one = compare(base, candidate)
      const other = compare(scaled(base), scaled(candidate))
      expect(other.verdict).toBe(one.verdict)
      expect(rounded(other.difference / factor)).toBe(rounded(one.difference))
      if (one.interval === null) {
        expect(other.interval).toBeNull()
        return
      }
      expect((other.interval?.low ?? 0) / factor).toBeCloseTo(one.interval.low, 6)
      expect((other.interval?.high ?? 0) / factor).toBeCloseTo(one.interval.high, 6)
    }),
  )
})

test('an interval contains the estimate, widens with confidence, and excludes 0 when the verdict does', () => {
  fc.assert(
    fc.property(runs, ({ base, candidate }) => {
      const { difference, interval, verdict, p } = compare(base, candidate)
      const wider = compare(base, candidate, { confidence: 0.99 }).interval
      if (interval === null) {
        expect(verdict).toBe('cannot tell')
        return
      }
      expect(interval.low).toBeLessThanOrEqual(difference + 1e-9)
      expect(interval.high).toBeGreaterThanOrEqual(difference - 1e-9)
      expect(verdict === 'cannot tell').toBe(p > 0.05)
      if (verdict === 'better') expect(interval.low).toBeGreaterThanOrEqual(0)
      if (verdict === 'worse') expect(interval.high).toBeLessThanOrEqual(0)
      if (verdict === 'cannot tell') {
        expect(interval.low).toBeLessThanOrEqual(0)
        expect(interval.high).toBeGreaterThanOrEqual(0)
      }
      if (wider === null) return
      expect(wider.low).toBeLessThanOrEqual(interval.low + 1e-9)
      expect(wider.high).toBeGreaterThanOrEqual(interval.high - 1e-9)
    }),
  )
})

test('items in groups say at most as much as on their own when the groups agree', () => {
  const base = observations(Array.from({ length: 50 }, () => 0))
  const candidate = Array.from({ length: 50 }, (_, place) => (Math.floor(place / 5) % 3 ? 1 : 0))
  const alone = compare(base, observations(candidate))
  const grouped = compare(
    observations(
      base.map(({ value }) => value),
      5,
    ),
    observations(candidate, 5),
  )
  expect([alone.groups, grouped.groups]).toEqual([50, 10])
  expect(grouped.difference).toBe(alone.difference)
  expect(grouped.p).toBeGreaterThan(alone.p)
})

test('repetitions of an item are averaged, and count as one item', () => {
  const base = observations([0, 0, 1, 1, 0, 1, 0])
  const candidate = observations([1, 0, 1, 1, 1, 1, 1])
  const once = compare(base, candidate)
  const often = compare([...base, ...base, ...base], [...candidate, ...candidate])
  expect({ ...often, flips: once.flips, unused: 0 }).toEqual(once)
  expect(often.items).toBe(7)
  expect(often.flips).toBeNull()
})

test('flips are judged by the exact binomial distribution', () => {
  const base = observations([...Array(9).fill(0), 1, ...Array(20).fill(1)])
  const candidate = observations([...Array(9).fill(1), 0, ...Array(20).fill(1)])
  const { flips } = compare(base, candidate)
  expect(flips).toMatchObject({ better: 9, worse: 1 })
  // 2 · (1 + 10) / 2^10
  expect(flips?.p).toBeCloseTo(0.021484375, 12)
})

test('fifty items without a loss do not prove that fewer than one in twenty is lost', () => {
  const equal = observations(Array.from({ length: 50 }, (_, place) => place % 2))
  const { interval, verdict, moreItems, reason } = compare(equal, equal, { margin: 0.05 })
  expect(interval?.low).toBeLessThan(-0.05)
  expect(verdict).toBe('cannot tell')
  expect(moreItems).toBeGreaterThan(10)
  expect(reason).toContain('beyond the margin of −0.05')
  const all = observations(Array.from({ length: 200 }, (_, place) => place % 2))
  expect(compare(all, all, { margin: 0.05 })).toMatchObject({ verdict: 'not worse', moreItems: 0 })
})

test('a range that is stated keeps a loss in mind that no item has shown', () => {
  const base = observations(Array.from({ length: 40 }, (_, place) => 0.5 + (place % 7) / 100))
  const candidate = base.map((one) => ({ ...one, value: one.value + 0.01 }))
  expect(compare(base, candidate).verdict).toBe('better')
  const { verdict, interval } = compare(base, candidate, { range: { low: 0, high: 1 } })
  expect(verdict).toBe('cannot tell')
  expect(interval?.low).toBeLessThan(-0.05)
})

test.each([1, 5])(
  'equal grades in groups of %d are within the margin where their range is stated',
  (groupSize) => {
    const run = (count: number) => observations(Array(count * groupSize).fill(0.8), groupSize)
    const options = { margin: 0.05, range: { low: 0, high: 1 } }
    expect(compare(run(200), run(200), { margin: 0.05 })).toMatchObject({
      verdict: 'cannot tell',
      reason: 'All scores are equal, and their range is not known.',
    })
    expect(compare(run(200), run(200), options)).toMatchObject({
      verdict: 'not worse',
      moreItems: 0,
    })
    const few = compare(run(12), run(12), options)
    expect(few.verdict).toBe('cannot tell')
    const enough = run(12 + (few.moreItems ?? Number.NaN) / groupSize)
    expect(compare(enough, enough, options).verdict).toBe('not worse')
  },
)

test.each([
  [[1e308], [-1e308]],
  [
    [1e308, 1e308],
    [1e308, 1e308],
  ],
  [[2 ** 700], [-(2 ** 700)]],
])('scores of %s and %s are too large to tell, and say so', (low, high) => {
  const run = (values: readonly number[]) =>
    values.flatMap((value) => observations(Array(12).fill(value)))
  const found = compare(run(low), run(high), { margin: 1 })
  expect(found).toMatchObject({
    base: low[0],
    candidate: high[0],
    difference: Number.NaN,
    interval: null,
    deviation: null,
    p: 1,
    verdict: 'cannot tell',
    reason: 'Scores beyond ±1e140 are too large to be added up.',
    moreItems: null,
  })
})

test('scores of any size have a verdict, and no limit that is not a number', () => {
  const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 8 })
  fc.assert(
    fc.property(values, values, (one, other) => {
      const { interval, p, deviation } = compare(observations(one), observations(other))
      for (const number of [interval?.low ?? 0, interval?.high ?? 0, p, deviation ?? 0])
        expect(Number.isFinite(number)).toBe(true)
    }),
  )
})

test('few groups say so, with the number that is missing', () => {
  const base = observations(Array(20).fill(0), 5)
  const candidate = observations(Array(20).fill(1), 5)
  expect(compare(base, candidate)).toMatchObject({
    groups: 4,
    interval: null,
    verdict: 'cannot tell',
    moreItems: 10,
  })
})

test('runs without a common item are not compared, and no score that is missing is taken for 0', () => {
  const { items, missing, verdict, moreItems } = compare(
    [{ item: 'a', value: 1 }],
    [{ item: 'b', value: 1 }],
  )
  expect({ items, missing, verdict, moreItems }).toEqual({
    items: 0,
    missing: 2,
    verdict: 'cannot tell',
    moreItems: null,
  })
})

test('about as many more items as it said then decide', () => {
  const change = [1, 1, 1, 0, 0, -1, 0, 0, 0, 0]
  const part = (count: number) => ({
    base: observations(
      Array.from({ length: count }, (_, place) => (change[place % 10] === -1 ? 1 : 0)),
    ),
    candidate: observations(
      Array.from({ length: count }, (_, place) => (change[place % 10] === 1 ? 1 : 0)),
    ),
  })
  const few = part(20)
  const { verdict, moreItems } = compare(few.base, few.candidate)
  expect(verdict).toBe('cannot tell')
  expect(moreItems).toBeGreaterThan(10)
  expect(moreItems).toBeLessThan(200)
  const enough = part(20 + (moreItems ?? 0))
  expect(compare(enough.base, enough.candidate).verdict).toBe('better')
})

test.each([
  ['a value that is no number', [{ item: 'a', value: Number.NaN }], {}, 'value'],
  [
    'an item in two groups',
    [
      { item: 'a', value: 1 },
      { item: 'a', group: 'g', value: 1 },
    ],
    {},
    'group',
  ],
  ['a margin below 0', [{ item: 'a', value: 1 }], { margin: -1 }, 'margin'],
  ['a confidence of 95', [{ item: 'a', value: 1 }], { confidence: 95 }, 'confidence'],
  [
    'a value outside of the range',
    [{ item: 'a', value: 2 }],
    { range: { low: 0, high: 1 } },
    'range',
  ],
  [
    'a range without an end',
    [{ item: 'a', value: 2 }],
    { range: { low: 0, high: Number.POSITIVE_INFINITY } },
    'range',
  ],
  [
    'a range that is too large to be added up',
    [{ item: 'a', value: 2 }],
    { range: { low: -1e308, high: 1e308 } },
    'range',
  ],
])('%s is refused by name', (_, run: Observation[], options, name) => {
  expect(() => compare(run, run, options)).toThrow(new RegExp(`^${name}`))
})

test('p values are adjusted as in the textbook', () => {
  const adjusted = holm([0.01, 0.04, 0.03, 0.005], 0.05)
  expect(adjusted.map(({ p }) => rounded(p))).toEqual([0.03, 0.06, 0.06, 0.02])
  expect(adjusted.map(({ isRejected }) => isRejected)).toEqual([true, false, false, true])
})

test('an adjusted p value is never below its own, keeps the order, and grows with each further score', () => {
  const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
    minLength: 1,
    maxLength: 12,
  })
  fc.assert(
    fc.property(shares, fc.double({ min: 0, max: 1, noNaN: true }), (values, further) => {
      const adjusted = holm(values, 0.05).map(({ p }) => p)
      const more = holm([...values, further], 0.05).map(({ p }) => p)
      for (const [place, value] of values.entries()) {
        const p = adjusted[place] ?? 0
        expect(p).toBeGreaterThanOrEqual(value)
        expect(more[place]).toBeGreaterThanOrEqual(p)
        for (const [other, otherValue] of values.entries())
          if (value < otherValue) expect(p).toBeLessThanOrEqual(adjusted[other] ?? 1)
      }
    }),
  )
})

test('of scores shown together, intervals and verdicts agree, and none is bolder than alone', () => {
  fc.assert(
    fc.property(fc.array(runs, { minLength: 1, maxLength: 4 }), (all) => {
      const together = compareScores(Object.fromEntries(all.map((one, place) => [`${place}`, one])))
      for (const [name, { verdict, interval, p }] of Object.entries(together)) {
        const one = all[Number(name)]
        if (one === undefined) throw new Error('expected the same names')
        const alone = compare(one.base, one.candidate)
        expect(p).toBeGreaterThanOrEqual(alone.p)
        if (verdict !== 'cannot tell') expect(verdict).toBe(alone.verdict)
        if (interval === null) continue
        expect(interval.low >= 0 && verdict !== 'better' && interval.low > 0).toBe(false)
        expect(interval.high < 0 && verdict !== 'worse').toBe(false)
      }
    }),
    { numRuns: 40 },
  )
})

test('one score alone is compared as by compare', () => {
  fc.assert(
    fc.property(runs, ({ base, candidate }) => {
      expect(compareScores({ one: { base, candidate } }).one).toEqual(compare(base, candidate))
    }),
    { numRuns: 30 },
  )
})
