import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Comparer } from '../src/pages/experiments/comparing/comparer.js'
import { directionOf } from '../src/pages/experiments/comparing/direction.js'
import type { View } from '../src/pages/experiments/comparing/messages.js'
import { countRows, rowsOf, selectRows } from '../src/pages/experiments/comparing/rows.js'
import { statedIn } from '../src/pages/experiments/comparing/stated.js'
import type { RunResult } from '../src/stats/statistics.js'

const result = (key: string, value?: number, more: Partial<RunResult> = {}): RunResult => ({
  key,
  repetition: 1,
  error: null,
  durationMs: null,
  tokens: null,
  cost: null,
  scores: value === undefined ? [] : [{ name: 'reward', value, scorer: null }],
  ...more,
})
const run = (values: readonly number[]) => values.map((value, place) => result(`${place}`, value))

const VIEW: View = {
  chosen: undefined,
  better: {},
  margin: 0,
  order: 'worse',
  only: 'all',
  from: 0,
  count: 10,
}
const comparerOf = (...runs: (readonly RunResult[])[]) => {
  const comparer = new Comparer()
  for (const [place, results] of runs.entries()) comparer.add(place, results)
  return comparer
}
const verdictsOf = (comparer: Comparer, view: Partial<View> = {}) =>
  comparer.view({ ...VIEW, ...view }).differences.map(({ scores }) => scores.reward?.verdict)

const zeros = run(Array(40).fill(0))
const clear = run(Array.from({ length: 40 }, (_, place) => (place % 4 === 0 ? 0 : 1)))

describe('the rule of a run', () => {
  const noise = (seed: number) =>
    run(Array.from({ length: 200 }, (_, place) => ((place * 7 + seed) % 10) / 10))
  const stated = (evaluate: unknown) => {
    const comparer = new Comparer()
    comparer.add(0, noise(0))
    comparer.add(1, noise(3), [], statedIn({ evaluate }))
    return comparer
  }
  const decide = { metric: 'reward', margin: 0.3 }

  test('gives its verdict, and the margin of the page where the address has none', () => {
    const { decisions, margin, differences } = stated({ decide }).view({
      ...VIEW,
      margin: undefined,
    })
    expect(decisions[0]?.comparison.verdict).toBe('not worse')
    expect(margin).toBe(0.3)
    expect(differences[0]?.scores.reward?.verdict).toBe('not worse')
    const shown = stated({ decide }).view({ ...VIEW, margin: 0 })
    expect(shown.margin).toBe(0)
    expect(shown.differences[0]?.scores.reward?.verdict).toBe('cannot tell')
    expect(shown.decisions[0]?.comparison.verdict).toBe('not worse')
  })

  test('has its confidence and its range', () => {
    const widthOf = (evaluate: unknown) => {
      const { interval } = stated(evaluate).view(VIEW).differences[0]?.scores.reward ?? {}
      return (interval?.high ?? 0) - (interval?.low ?? 0)
    }
    const plain = widthOf({})
    expect(widthOf({ confidence: 0.8 })).toBeLessThan(plain)
    expect(widthOf({ decide: { ...decide, range: { low: -50, high: 50 } } })).toBeGreaterThan(plain)
    // A score is outside of it.
    expect(widthOf({ decide: { ...decide, range: { low: 0, high: 0.5 } } })).toBe(plain)
  })

  test.each([
    null,
    [],
    'x',
    { confidence: 7, lower: 5, decide: 'x' },
    { decide: { metric: 5 } },
    { confidence: 0, decide: { metric: 'none', margin: -1, range: { low: 2, high: 1 } } },
  ])('of any form that somebody stored breaks nothing: %j', (evaluate) => {
    const shown = stated(evaluate).view({ ...VIEW, margin: undefined })
    expect(shown.decisions).toEqual([undefined])
    expect([shown.margin, shown.confidence]).toEqual([0, 0.95])
  })
})

describe('a verdict', () => {
  test('goes by the direction of the score’s definition, and the names of several experiments', () => {
    const unclear = run(Array.from({ length: 40 }, (_, place) => (place % 2 === 0 ? 1 : -1)))
    expect(verdictsOf(comparerOf(zeros, clear))).toEqual(['better'])
    expect(verdictsOf(comparerOf(zeros, clear), { better: { reward: 'LOWER' } })).toEqual(['worse'])
    expect(verdictsOf(comparerOf(zeros, clear, unclear))).toEqual(['better', 'cannot tell'])
    expect(verdictsOf(comparerOf(zeros))).toEqual([])
  })

  test('goes by the groups of the last experiment that states them, in whatever order they are read', () => {
    const groups = (by: number) =>
      zeros.map(({ key }): [string, string] => [key, `${Math.floor(Number(key) / by)}`])
    for (const places of [
      [0, 1],
      [1, 0],
    ]) {
      const comparer = new Comparer()
      for (const place of places)
        comparer.add(place, place === 0 ? zeros : clear, groups(place === 0 ? 20 : 10))
      const [differences] = comparer.view(VIEW).differences
      expect(differences?.scores.reward).toMatchObject({ groups: 4, verdict: 'cannot tell' })
    }
  })

  test('has a direction for scores with the names of what every object has', () => {
    for (const name of ['constructor', '__proto__']) {
      const named = (results: readonly RunResult[]) =>
        results.map((one) => ({ ...one, scores: one.scores.map((score) => ({ ...score, name })) }))
      const { better, differences } = comparerOf(named(zeros), named(clear)).view(VIEW)
      expect(Object.entries(better)).toEqual([[name, 'HIGHER']])
      expect(directionOf(better, name)).toBe('HIGHER')
      expect(directionOf({}, name)).toBe('HIGHER')
      expect(Object.values(differences[0]?.scores ?? {})).toMatchObject([{ verdict: 'better' }])
    }
  })

  test('goes by the direction of the scorer where the score has no definition', () => {
    const scored = (results: readonly RunResult[]) =>
      results.map((one) => ({
        ...one,
        scores: one.scores.map((score) => ({ ...score, scorer: 'waste@1' })),
      }))
    const STATED = statedIn({ evaluate: { lower: ['waste'] } })
    const comparer = new Comparer()
    comparer.add(0, scored(zeros), [], STATED)
    comparer.add(1, scored(clear), [], STATED)
    expect(verdictsOf(comparer)).toEqual(['worse'])
    expect(verdictsOf(comparer, { better: { reward: 'HIGHER' } })).toEqual(['better'])
  })

  test('is "not worse" within the margin, which concerns the chosen score alone', () => {
    const noise = (seed: number) =>
      run(Array.from({ length: 200 }, (_, place) => ((place * 7 + seed) % 10) / 10))
    const comparer = comparerOf(noise(0), noise(3))
    expect(verdictsOf(comparer)).toEqual(['cannot tell'])
    expect(verdictsOf(comparer, { margin: 0.3 })).toEqual(['not worse'])
    expect(verdictsOf(comparer, { margin: 0.3, chosen: { measure: 'errors' } })).toEqual([
      'cannot tell',
    ])
  })

  test('counts the items of a group as one', () => {
    const values = run(Array.from({ length: 40 }, (_, place) => (place < 10 ? 1 : 0)))
    const comparer = new Comparer()
    const groups = values.map(({ key }): [string, string] => [
      key,
      `${Math.floor(Number(key) / 5)}`,
    ])
    comparer.add(0, zeros, groups)
    comparer.add(1, values)
    expect(comparer.view(VIEW).differences[0]?.scores.reward).toMatchObject({
      groups: 8,
      verdict: 'cannot tell',
    })
    expect(verdictsOf(comparerOf(zeros, values))).toEqual(['better'])
  })

  test('is the same however the results come', () => {
    const value = fc.integer({ min: 0, max: 1 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(value, value, value), { minLength: 8, maxLength: 40 }),
        fc.integer({ min: 1, max: 50 }),
        (items, step) => {
          const base = items.map(([first], place) => result(`${place}`, first))
          const other = items.flatMap(([, second, third], place) => [
            result(`${place}`, second),
            result(`${place}`, third, { repetition: 2 }),
          ])
          const shuffled = other.toSorted(
            (a, b) =>
              (((Number(a.key) * 2 + a.repetition) * step * 37) % 101) -
              (((Number(b.key) * 2 + b.repetition) * step * 37) % 101),
          )
          expect(comparerOf(base, shuffled).view(VIEW)).toEqual(comparerOf(base, other).view(VIEW))
        },
      ),
    )
  })
})

describe('rows', () => {
  test('are paired by item, missing is not 0, and repetitions that the base lacks are not compared', () => {
    const rows = rowsOf(
      [
        [result('x', 0), result('y', 1)],
        [result('x', 0, { repetition: 2 }), result('x', 1), result('z', 0)],
      ],
      { score: 'reward' },
      true,
    )
    expect(rows.map(({ item, deltas }) => [item, deltas[1]])).toEqual([
      ['x', 1],
      ['y', undefined],
      ['z', undefined],
    ])
    expect(rows[0]?.cells[1]).toMatchObject({ value: 1, repetitions: 2, compared: 1 })
    expect(rows[1]?.cells[1]).toBeUndefined()
  })

  test('have flips first, the lost ones before the won ones, and can be filtered by them', () => {
    const rows = rowsOf(
      [
        [result('same', 1), result('won', 0), result('lost', 1), result('failed', 1)],
        [
          result('same', 1),
          result('won', 1),
          result('lost', 0),
          result('failed', undefined, { error: 'down' }),
        ],
      ],
      { score: 'reward' },
      true,
    )
    const shown = (order: 'worse' | 'better', only: View['only'] = 'all') =>
      selectRows(rows, { order, only, isHigherBetter: true }).map(({ item }) => item)
    expect(shown('worse')).toEqual(['lost', 'won', 'failed', 'same'])
    expect(shown('better')).toEqual(['won', 'lost', 'failed', 'same'])
    expect(shown('worse', 'lost')).toEqual(['lost'])
    expect(shown('worse', 'flips')).toEqual(['lost', 'won'])
    expect(shown('worse', 'errors')).toEqual(['failed'])
    expect(countRows(rows)).toEqual({
      all: 4,
      flips: 2,
      lost: 1,
      won: 1,
      changed: 2,
      errors: 1,
      missing: 0,
    })
  })

  test('of a score that is better when lower are lost when it rises', () => {
    const [row] = rowsOf([[result('x', 0)], [result('x', 1)]], { score: 'reward' }, false)
    expect(row?.flips[1]).toBe('lost')
  })

  test('of a graded score have no flips, and the largest loss first', () => {
    const rows = rowsOf([run([0.5, 0.5, 0.5]), run([0.4, 0.9, 0.1])], { score: 'reward' }, true)
    const shown = selectRows(rows, { order: 'worse', only: 'all', isHigherBetter: true })
    expect(shown.map(({ item }) => item)).toEqual(['2', '0', '1'])
    expect(countRows(rows).flips).toBe(0)
  })

  test('can be ordered by a measure, the slowest first', () => {
    const timed = (...values: number[]) =>
      values.map((durationMs, place) => result(`${place}`, 1, { durationMs }))
    const { rows } = comparerOf(timed(10, 10, 10), timed(10, 90, 5)).view({
      ...VIEW,
      chosen: { measure: 'durationMs' },
    })
    expect(rows.map(({ item, deltas }) => [item, deltas[1]])).toEqual([
      ['1', 80],
      ['0', 0],
      ['2', -5],
    ])
  })

  test('come in pages that hold every item once', () => {
    const comparer = comparerOf(zeros, clear)
    const pages = [0, 15, 30].flatMap((from) => comparer.view({ ...VIEW, from, count: 15 }).rows)
    expect(new Set(pages.map(({ item }) => item)).size).toBe(40)
    expect(pages).toHaveLength(40)
  })
})
