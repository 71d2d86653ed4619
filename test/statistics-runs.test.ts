import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareRuns, groupIn, type RunResult } from '../src/statistics/index.js'
import { random } from '../src/statistics/numbers/random.js'

const OPTIONS = { groupOf: () => undefined, isHigherBetter: () => true }
const result = (key: number, more: Partial<RunResult> = {}): RunResult => ({
  key: `${key}`,
  repetition: 1,
  error: null,
  durationMs: null,
  tokens: null,
  cost: null,
  scores: [],
  ...more,
})
const score = (name: string, value: number, scorer: string | null = null) => ({
  name,
  value,
  scorer,
})
const run = (items: number, make: (item: number) => Partial<RunResult>) =>
  Array.from({ length: items }, (_, item) => result(item, make(item)))

test('less time, fewer tokens, less money and fewer errors are better', () => {
  const [found] = compareRuns(
    run(30, (item) => ({ durationMs: 100 + item, tokens: 50 + item, cost: 0.1 + item })),
    [run(30, (item) => ({ durationMs: 50 + item, tokens: 90 + item, cost: 0.1 + item }))],
    OPTIONS,
  )
  expect(found?.measures.durationMs?.verdict).toBe('better')
  expect(found?.measures.tokens?.verdict).toBe('worse')
  expect(found?.measures.cost).toMatchObject({ verdict: 'cannot tell', difference: 0 })
})

test('a failed result is an error, and its duration does not count as quick', () => {
  const base = run(30, () => ({ durationMs: 100, tokens: 5 }))
  const [found] = compareRuns(
    base,
    [
      run(30, (item) =>
        item % 2 === 0
          ? { error: 'down', durationMs: 1, tokens: 0 }
          : { durationMs: 100, tokens: 5 },
      ),
    ],
    OPTIONS,
  )
  expect(found?.measures.errors).toMatchObject({ base: 0, candidate: 0.5, verdict: 'worse' })
  expect(found?.measures.durationMs).toMatchObject({ items: 15, missing: 15, difference: 0 })
})

test('a measure that is 0 or unknown everywhere is not compared', () => {
  const [found] = compareRuns(
    run(10, () => ({ tokens: 0, durationMs: 1 })),
    [run(10, () => ({ tokens: 0, durationMs: null }))],
    OPTIONS,
  )
  expect(Object.keys(found?.measures ?? {})).toEqual([])
})

test('measures take nothing from the verdict on a score', () => {
  const next = random(3)
  const values = Array.from({ length: 40 }, () => (next() < 0.6 ? 1 : 0))
  const scored = (shift: number, measured: boolean) =>
    run(40, (item) => ({
      scores: [score('right', (values[item] ?? 0) + (item % 3 === 0 ? shift : 0))],
      ...(measured ? { durationMs: item + shift, tokens: item, cost: item } : {}),
    }))
  const [bare] = compareRuns(scored(0, false), [scored(0.5, false)], OPTIONS)
  const [measured] = compareRuns(scored(0, true), [scored(0.5, true)], OPTIONS)
  expect(measured?.scores).toEqual(bare?.scores)
  expect(Object.keys(measured?.measures ?? {})).toEqual(['durationMs', 'tokens', 'cost'])
})

test('of equal runs, hardly a score of several candidates and hardly a measure is called different', () => {
  const next = random(11)
  const make = () =>
    run(30, () => ({
      durationMs: next() ** 4 * 1000,
      tokens: Math.round(next() * 100),
      scores: [score('a', next() < 0.5 ? 1 : 0), score('b', next())],
    }))
  const wrong = { scores: 0, measures: 0 }
  const runs = 200
  for (let round = 0; round < runs; round++) {
    const found = compareRuns(make(), [make(), make(), make()], OPTIONS)
    for (const family of ['scores', 'measures'] as const)
      if (
        found.some((differences) =>
          Object.values(differences[family]).some(({ verdict }) => verdict !== 'cannot tell'),
        )
      )
        wrong[family]++
  }
  // 5 of 100 are allowed; 200 rounds reach 22 once in 1,000 times then.
  expect(wrong.scores).toBeLessThanOrEqual(22)
  expect(wrong.measures).toBeLessThanOrEqual(22)
})

test('a score is refused when its scorer changed or the base lacks it, and compared when versions are unknown', () => {
  const scored = (scorer: string | null) => run(10, () => ({ scores: [score('q', 1, scorer)] }))
  const refusal = (base: string | null, candidate: string | null) =>
    compareRuns(scored(base), [scored(candidate)], OPTIONS)[0]?.refused.q
  expect(refusal('q@1', 'q@2')).toBe('its scorer changed (q@1 before, q@2 now)')
  expect(refusal('q@1', 'q@1')).toBeUndefined()
  expect(refusal(null, 'q@2')).toBeUndefined()
  const [found] = compareRuns(
    run(10, () => ({})),
    [scored('q@1')],
    OPTIONS,
  )
  expect(found).toMatchObject({ scores: {}, refused: { q: 'the other run has no such score' } })
})

test('scores whose names look like places or members of objects keep apart', () => {
  const names = ['0 q', '1 q', '__proto__', 'constructor', 'q']
  const scored = (shift: number) =>
    run(10, (item) => ({ scores: names.map((name) => score(name, item * shift)) }))
  const found = compareRuns(scored(1), [scored(1), scored(2)], OPTIONS)
  for (const [place, { scores }] of found.entries())
    for (const name of names.filter((name) => name !== '__proto__'))
      expect(scores[name]?.difference).toBe(place === 0 ? 0 : 4.5)
})

test('the group is the first of the entries that the metadata has', () => {
  expect(groupIn({ group: 'a', threadId: 'b' })).toBe('a')
  expect(groupIn({ group: null, threadId: 7 })).toBe('7')
  expect(groupIn({ topic: { b: 1 } }, ['topic'])).toBe('{"b":1}')
  for (const metadata of [null, undefined, 'group', {}, Object.create({ group: 'inherited' })])
    expect(groupIn(metadata)).toBeUndefined()
})

test('the order in which results come makes no difference', () => {
  const item = fc.record({
    value: fc.double({ min: 0, max: 1, noNaN: true }),
    repetition: fc.constantFrom(1, 2),
  })
  fc.assert(
    fc.property(fc.array(item, { minLength: 2, maxLength: 30 }), (items) => {
      const seen = new Set<string>()
      const results = items.flatMap(({ value, repetition }, place) => {
        const key = place % 10
        if (seen.has(`${key} ${repetition}`)) return []
        seen.add(`${key} ${repetition}`)
        return [result(key, { repetition, durationMs: value, scores: [score('q', value)] })]
      })
      const base = run(10, (place) => ({ durationMs: place, scores: [score('q', place / 10)] }))
      expect(compareRuns(base, [results.toReversed()], OPTIONS)).toEqual(
        compareRuns(base, [results], OPTIONS),
      )
    }),
  )
})
