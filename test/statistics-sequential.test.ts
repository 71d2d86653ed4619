import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSequentialDecision, type Observation } from '../src/statistics/index.js'
import { random } from '../src/statistics/numbers/random.js'

const item = (id: number, base: number, candidate: number) => ({
  base: [{ item: `${id}`, value: base }],
  candidate: [{ item: `${id}`, value: candidate }],
})

test('a large difference is called after few items, and the verdict stays', () => {
  const decision = createSequentialDecision({ effect: 0.3 })
  let place = 0
  while (decision.verdict === 'cannot tell') decision.observe(item(place++, 0, 1))
  expect(decision.verdict).toBe('better')
  expect(place).toBeLessThan(16)
  for (let more = 0; more < 50; more++) decision.observe(item(place++, 1, 0))
  expect(decision.verdict).toBe('better')
})

test('equal runs are rarely called different when one has ten repetitions and the other one', () => {
  const next = random(7)
  const passes = (item: number, count: number) =>
    Array.from({ length: count }, () => ({ item: `${item}`, value: next() < 0.97 ? 1 : 0 }))
  let different = 0
  for (let round = 0; round < 200; round++) {
    const decision = createSequentialDecision({ items: 100 })
    for (let place = 0; place < 100 && decision.verdict === 'cannot tell'; place++)
      decision.observe({ base: passes(place, 1), candidate: passes(place, 10) })
    if (decision.verdict !== 'cannot tell') different++
  }
  expect(different).toBeLessThan(200 * 0.08)
})

test('differences by rounding alone are no bets', () => {
  const decision = createSequentialDecision({ items: 40, effect: 1e-16 })
  for (let place = 0; place < 40; place++) decision.observe(item(place, 0.3, 0.1 + 0.2))
  expect([decision.verdict, decision.difference]).toEqual(['cannot tell', 0])
})

test('runs that change places have the mirrored verdict at each moment', () => {
  const values = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 })),
    {
      maxLength: 60,
    },
  )
  fc.assert(
    fc.property(values, (pairs) => {
      const one = createSequentialDecision()
      const other = createSequentialDecision({ higherIsBetter: false })
      for (const [place, [base, candidate]] of pairs.entries()) {
        const mirrored = { better: 'worse', worse: 'better' } as Record<string, string>
        const verdict = one.observe(item(place, base / 4, candidate / 4))
        expect(other.observe(item(place, base / 4, candidate / 4))).toBe(
          mirrored[verdict] ?? verdict,
        )
      }
    }),
  )
})

test('equal items are within the margin once a rare loss would have shown, and not before', () => {
  const decision = createSequentialDecision({ margin: 0.1 })
  let place = 0
  while (decision.verdict === 'cannot tell') decision.observe(item(place++, 1, 1))
  expect(decision.verdict).toBe('not worse')
  // A loss of one in ten is not seen in 35 items with a chance of 2.5 in 100.
  expect(place).toBeGreaterThan(35)
  expect(place).toBeLessThan(90)
})

test('the interval narrows around the difference', () => {
  const decision = createSequentialDecision()
  const widths: number[] = []
  for (let place = 0; place < 400; place++) {
    decision.observe(item(place, place % 2, place % 4 === 1 ? 0 : place % 2))
    if (place % 100 === 99) {
      const { low, high } = decision.interval ?? { low: Number.NaN, high: Number.NaN }
      expect(low).toBeLessThan(decision.difference)
      expect(high).toBeGreaterThan(decision.difference)
      widths.push(high - low)
    }
  }
  expect(widths).toEqual(widths.toSorted((a, b) => b - a))
  expect(widths.at(-1)).toBeLessThan(0.3)
})

test('the last planned item is followed by a comparison of all', () => {
  const items = 60
  const open = createSequentialDecision({ effect: 0.01 })
  const planned = createSequentialDecision({ effect: 0.01, items })
  for (let place = 0; place < items; place++) {
    const unit = item(place, 0.5, place % 4 ? 0.6 : 0.5)
    open.observe(unit)
    const verdict = planned.observe(unit)
    if (place < 4) expect(verdict).toBe('cannot tell')
  }
  expect(planned.verdict).toBe('better')
  expect(() => planned.observe(item(items, 1, 1))).toThrow('no more items than planned')
})

test('a group is handed over whole, once, and with the same items in both runs', () => {
  const decision = createSequentialDecision({ groupSize: 2 })
  const run = (...items: string[]): Observation[] =>
    items.map((one) => ({ item: one, group: 'g', value: 1 }))
  expect(() => decision.observe({ base: run('a', 'b'), candidate: run('a') })).toThrow('same items')
  expect(() =>
    decision.observe({ base: run('a', 'b', 'c'), candidate: run('a', 'b', 'c') }),
  ).toThrow('groupSize')
  decision.observe({ base: run('a', 'b'), candidate: run('b', 'a') })
  expect(() => decision.observe({ base: run('c'), candidate: run('c') })).toThrow('not seen before')
  expect([decision.items, decision.groups]).toEqual([2, 1])
})

test('a score without a known range is decided, but has no interval and no margin', () => {
  const decision = createSequentialDecision({ higherIsBetter: false, effect: 100 })
  for (let place = 0; place < 30; place++) decision.observe(item(place, 900 + place, 500))
  expect([decision.verdict, decision.interval]).toEqual(['better', null])
  const bounded = createSequentialDecision({ margin: 0.1 })
  expect(() => bounded.observe(item(0, 900, 500))).toThrow('range')
})

test('scores that are too large to be added up decide nothing', () => {
  const decision = createSequentialDecision({ items: 40 })
  for (let place = 0; place < 40; place++) decision.observe(item(place, 1e308, -1e308))
  expect([decision.verdict, decision.difference, decision.interval]).toEqual([
    'cannot tell',
    Number.NaN,
    null,
  ])
  const range = { low: 0, high: 1e200 }
  expect(() => createSequentialDecision({ range })).toThrow('range: expected limits')
})
