import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  compare,
  createSequentialDecision,
  type Observation,
  type SequentialDecision,
} from '../src/statistics/index.js'
import { random } from '../src/statistics/numbers/random.js'
import { boundariesOf, LOOKS } from '../src/statistics/sequential/boundaries.js'
import { chanceOfUpper } from '../src/statistics/sequential/walk.js'

const item = (id: number, base: number, candidate: number) => ({
  base: [{ item: `${id}`, value: base }],
  candidate: [{ item: `${id}`, value: candidate }],
})

/** Hands over items until the decision is over. Returns their number. */
const untilOver = (
  decision: SequentialDecision,
  unit: (place: number) => ReturnType<typeof item>,
) => {
  let place = 0
  while (!decision.isOver) decision.observe(unit(place++))
  return place
}

test('a large difference is called after few items, and the verdict stays', () => {
  const decision = createSequentialDecision({ items: 100 })
  expect(untilOver(decision, (place) => item(place, 0, 1))).toBeLessThan(25)
  expect(decision.verdict).toBe('better')
  const { items } = decision
  for (let more = 0; more < 50; more++) decision.observe(item(items + more, 1, 0))
  expect([decision.verdict, decision.items]).toEqual(['better', items])
})

test('equal runs end early, as the rest would hardly show a difference', () => {
  const decision = createSequentialDecision({ items: 200 })
  const used = untilOver(decision, (place) => item(place, place % 2, (place >> 1) % 2))
  expect(decision.verdict).toBe('cannot tell')
  expect(used).toBeLessThan(100)
})

test('equal runs are rarely called different when one has ten repetitions and the other one', () => {
  const next = random(7)
  const passes = (item: number, count: number) =>
    Array.from({ length: count }, () => ({ item: `${item}`, value: next() < 0.97 ? 1 : 0 }))
  let different = 0
  for (let round = 0; round < 200; round++) {
    const decision = createSequentialDecision({ items: 100 })
    for (let place = 0; place < 100 && !decision.isOver; place++)
      decision.observe({ base: passes(place, 1), candidate: passes(place, 10) })
    if (decision.verdict !== 'cannot tell') different++
  }
  expect(different).toBeLessThan(200 * 0.08)
})

test('differences by rounding alone are none', () => {
  const decision = createSequentialDecision({ items: 40 })
  untilOver(decision, (place) => item(place, 0.3, 0.1 + 0.2))
  expect([decision.verdict, decision.comparison?.difference]).toEqual(['cannot tell', 0])
})

test('runs that change places have the mirrored verdict at each moment', () => {
  const values = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 })),
    { minLength: 1, maxLength: 60 },
  )
  fc.assert(
    fc.property(values, (pairs) => {
      const one = createSequentialDecision({ items: pairs.length })
      const other = createSequentialDecision({ items: pairs.length, higherIsBetter: false })
      for (const [place, [base, candidate]] of pairs.entries()) {
        const mirrored = { better: 'worse', worse: 'better' } as Record<string, string>
        const verdict = one.observe(item(place, base / 4, candidate / 4))
        expect(other.observe(item(place, base / 4, candidate / 4))).toBe(
          mirrored[verdict] ?? verdict,
        )
        expect(other.isOver).toBe(one.isOver)
      }
      expect(one.isOver).toBe(true)
    }),
    { numRuns: 40 },
  )
})

test('equal items are within the margin once a rare loss would have shown, and not before', () => {
  const decision = createSequentialDecision({ items: 400, margin: 0.1 })
  const used = untilOver(decision, (place) => item(place, 1, 1))
  expect(decision.verdict).toBe('not worse')
  // A loss of one in ten is not seen in 35 items with a chance of 2.5 in 100.
  expect(used).toBeGreaterThan(35)
  expect(used).toBeLessThan(160)
})

test('looking early makes the interval wider than that of the same items compared once', () => {
  const decision = createSequentialDecision({ items: 120 })
  const units = Array.from({ length: 60 }, (_, place) =>
    item(place, place % 2, place % 4 === 1 ? 0 : 1),
  )
  for (const unit of units) decision.observe(unit)
  const { interval: wide, items } = decision.comparison ?? {}
  const seen = units.slice(0, items)
  const { interval, difference } = compare(
    seen.flatMap(({ base }) => base),
    seen.flatMap(({ candidate }) => candidate),
  )
  expect(interval?.low).toBeLessThan(difference)
  expect(wide?.low).toBeLessThan(interval?.low ?? Number.NaN)
  expect(wide?.high).toBeGreaterThan(interval?.high ?? Number.NaN)
})

test('a difference that no early look shows is shown by the last one', () => {
  const items = 100
  const decision = createSequentialDecision({ items })
  // 61 gains and 39 losses, evenly mixed: 2.2 deviations when all are there.
  const used = untilOver(decision, (place) =>
    Math.floor((place + 1) * 0.61) > Math.floor(place * 0.61)
      ? item(place, 0, 1)
      : item(place, 1, 0),
  )
  expect([decision.verdict, used]).toEqual(['better', items])
})

test('more items than planned, and wrong options, are errors that name the field', () => {
  const run = (count: number): Observation[] =>
    Array.from({ length: count }, (_, place) => ({ item: `${place}`, group: 'g', value: 1 }))
  const decision = createSequentialDecision({ items: 2 })
  expect(() => decision.observe({ base: run(3), candidate: run(3) })).toThrow(
    'no more items than planned',
  )
  expect(() => createSequentialDecision({ items: 0 })).toThrow('items: expected 1 or more')
  expect(() => createSequentialDecision({ items: 2, confidence: 1 })).toThrow('confidence')
  expect(() => createSequentialDecision({ items: 2, margin: -1 })).toThrow('margin')
})

test('a group is handed over whole, once, and with the same items in both runs', () => {
  const decision = createSequentialDecision({ items: 100 })
  const run = (...items: string[]): Observation[] =>
    items.map((one) => ({ item: one, group: 'g', value: 1 }))
  expect(() => decision.observe({ base: run('a', 'b'), candidate: run('a') })).toThrow('same items')
  decision.observe({ base: run('a', 'b'), candidate: run('b', 'a') })
  expect(() => decision.observe({ base: run('c'), candidate: run('c') })).toThrow('not seen before')
  expect(decision.items).toBe(2)
})

test('fewer items than planned are decided by a last look', () => {
  const decision = createSequentialDecision({ items: 1000 })
  for (let place = 0; place < 30; place++) decision.observe(item(place, 900 + place, 500))
  expect([decision.verdict, decision.isOver]).toEqual(['cannot tell', false])
  expect([decision.end(), decision.isOver]).toEqual(['worse', true])
  expect(createSequentialDecision({ items: 5 }).end()).toBe('cannot tell')
})

test('a value outside of a stated range is an error; a score without a range is decided', () => {
  const decision = createSequentialDecision({ items: 30, higherIsBetter: false })
  untilOver(decision, (place) => item(place, 900 + place, 500))
  expect(decision.verdict).toBe('better')
  const bounded = createSequentialDecision({ items: 30, margin: 0.1, range: { low: 0, high: 1 } })
  expect(() => bounded.observe(item(0, 900, 500))).toThrow('range')
  expect(bounded.items).toBe(0)
})

test('scores that are too large to be added up decide nothing', () => {
  const decision = createSequentialDecision({ items: 40 })
  for (let place = 0; place < 40; place++) decision.observe(item(place, 1e308, -1e308))
  expect([decision.verdict, decision.comparison?.interval]).toEqual(['cannot tell', null])
  const range = { low: 0, high: 1e200 }
  expect(() => createSequentialDecision({ items: 1, range })).toThrow('range: expected limits')
})

test('a walk that is looked at once ends above its limit as the normal distribution says', () => {
  expect(chanceOfUpper({ upper: [1.959964] })).toBeCloseTo(0.025, 7)
  expect(chanceOfUpper({ upper: [1.959964] }, 2.801585)).toBeCloseTo(0.8, 5)
  // Five equal looks at the limits of Pocock and of O'Brien and Fleming, as in their tables.
  const times = [0.2, 0.4, 0.6, 0.8, 1]
  const pocock = chanceOfUpper({ upper: times.map((time) => 2.413 * Math.sqrt(time)) })
  const fleming = chanceOfUpper({ upper: times.map(() => 2.04) })
  // The tables are two-sided, and rounded to three digits.
  expect(2 * pocock).toBeCloseTo(0.05, 3)
  expect(2 * fleming).toBeCloseTo(0.05, 3)
})

test('the limits spend the whole risk and no more, at any confidence', () => {
  const times = Array.from({ length: LOOKS }, (_, look) => (look + 1) / LOOKS)
  fc.assert(
    fc.property(fc.double({ min: 0.5, max: 0.9999, noNaN: true }), (confidence) => {
      const { upper, lower } = boundariesOf(confidence)
      const chance = chanceOfUpper({ upper: times.map(upper), lower: times.map(lower) })
      expect(chance).toBeLessThanOrEqual((1 - confidence) / 2)
      expect(chance).toBeGreaterThan(((1 - confidence) / 2) * 0.995)
    }),
    { numRuns: 10 },
  )
})
