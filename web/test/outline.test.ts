import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StepType } from '../../generated/schema.js'
import { Outline } from '../src/pages/thread/outline/outline.js'
import { Places } from '../src/pages/thread/outline/places.js'
import { reveal, rowOf, visibleRows } from '../src/pages/thread/outline/rows.js'
import { type OutlineColumns, StepArrays } from '../src/pages/thread/outline/step-arrays.js'
import { CUT_PX, stretchesOf, TimeMap } from '../src/pages/thread/tree/time-map.js'

const columnsOf = (
  depths: readonly number[],
  more: Partial<OutlineColumns> = {},
): OutlineColumns => ({
  id: depths.map((_, place) => `s${place}`),
  depth: [...depths],
  type: depths.map(() => 0),
  name: depths.map(() => 0),
  start: depths.map((_, place) => place * 10),
  duration: depths.map(() => 5),
  firstToken: depths.map(() => null),
  tokens: depths.map(() => null),
  cost: depths.map(() => null),
  flags: depths.map(() => 0),
  ...more,
})
const outlineOf = (columns: OutlineColumns, types: readonly StepType[] = ['tool']) =>
  new Outline(
    StepArrays.of(columns),
    { names: ['tool'], types },
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:01:00Z',
  )
/** Depths of a pre-order: never more than one deeper than the step before. */
const depths = fc.array(fc.nat(5), { minLength: 1, maxLength: 60 }).map((wanted) => {
  const made: number[] = []
  for (const depth of wanted) made.push(Math.min(depth, (made.at(-1) ?? -1) + 1))
  return made
})

describe('a tree in arrays', () => {
  test('has parents one above, and subtrees that are ranges', () => {
    fc.assert(
      fc.property(depths, (given) => {
        const outline = outlineOf(columnsOf(given))
        for (let place = 0; place < given.length; place++) {
          const parent = outline.parent[place] ?? -1
          if (parent >= 0) expect(given[parent]).toBe((given[place] ?? 0) - 1)
          else expect(given[place]).toBe(0)
          const end = place + (outline.size[place] ?? 0)
          for (let below = place + 1; below < end; below++)
            expect(given[below]).toBeGreaterThan(given[place] ?? 0)
          if (end < given.length) expect(given[end]).toBeLessThanOrEqual(given[place] ?? 0)
        }
      }),
    )
  })

  test('is the same when it is made of another one and of what changed', () => {
    fc.assert(
      fc.property(
        depths,
        fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
        (given, stays) => {
          const types: StepType[] = ['tool', 'run']
          const wanted = columnsOf(given, {
            type: given.map((_, place) => place % 2),
            name: given.map((_, place) => (place % 3) - 1),
            tokens: given.map((_, place) => (place % 4 === 0 ? null : place)),
          })
          const places = given.map((_, place) => place)
          const only = (kept: boolean): OutlineColumns =>
            Object.fromEntries(
              Object.entries(wanted).map(([name, column]) => [
                name,
                column.filter((_: unknown, place: number) => stays[place] === kept),
              ]),
            ) as unknown as OutlineColumns
          const known = only(true)
          // Of before, which numbered names and types in another order.
          const before = {
            ...StepArrays.of({
              ...known,
              type: known.type.map((type) => 1 - type),
              name: known.name.map((name) => (name < 0 ? name : 1 - name)),
            }),
            names: ['b', 'a'],
            types: ['run', 'tool'],
          }
          const runs = places.map((place): [number, number] =>
            stays[place] ? [known.id.indexOf(`s${place}`), 1] : [-1, 1],
          )
          const now = { names: ['a', 'b'], types }
          const made = StepArrays.changed(before, now, { runs, ...only(false) })
          expect(made).toEqual(StepArrays.of(wanted))
        },
      ),
    )
  })

  test('is the same in parts of any size', () => {
    fc.assert(
      fc.property(depths, fc.integer({ min: 1, max: 70 }), (given, size) => {
        const columns = columnsOf(given)
        const parts = new StepArrays(given.length)
        for (let from = 0; from < given.length; from += size)
          parts.add(
            Object.fromEntries(
              Object.entries(columns).map(([name, values]) => [
                name,
                values.slice(from, from + size),
              ]),
            ) as unknown as OutlineColumns,
          )
        expect(parts).toEqual(StepArrays.of(columns))
      }),
    )
  })

  test('has members among its places in either direction', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(30)), fc.integer({ min: -1, max: 31 }), (members, from) => {
        const places = new Places(31)
        for (const place of [...members, ...members]) places.add(place)
        const sorted = members.toSorted((a, b) => a - b)
        expect(places.size).toBe(members.length)
        expect(sorted.every((place) => places.has(place))).toBe(true)
        expect(places.next(from)).toBe(sorted.find((place) => place > from) ?? -1)
        expect(places.next(from, -1)).toBe(sorted.findLast((place) => place < from) ?? -1)
      }),
    )
  })

  test('sums errors upwards', () => {
    const outline = outlineOf(columnsOf([0, 1, 2, 1, 0], { flags: [0, 0, 1, 1, 0] }))
    expect([...outline.errors]).toEqual([2, 1, 1, 1, 0])
    expect(outline.failures()).toEqual([2, 3])
  })

  test('takes the types of steps from the list in the answer, in any order', () => {
    const types = ['llm', 'user_message', 'a_type_of_tomorrow', 'assistant_message'] as StepType[]
    for (const order of [types, types.toReversed()]) {
      const outline = outlineOf(
        columnsOf([0, 0, 0, 0], { type: types.map((type) => order.indexOf(type)) }),
        order,
      )
      expect(types.map((_, place) => outline.type(place))).toEqual(types)
      expect(types.map((_, place) => outline.isMessage(place))).toEqual([false, true, false, true])
    }
  })

  test('hides what is below closed steps, and any step can be revealed', () => {
    fc.assert(
      fc.property(depths, fc.array(fc.nat(59)), fc.nat(59), (given, closing, wanted) => {
        const outline = outlineOf(columnsOf(given))
        const folding = { closed: new Set(closing), unfolded: new Set<number>(), foldsAlike: true }
        const place = wanted % given.length
        const rows = visibleRows(outline, reveal(outline, place, folding))
        expect(rowOf(rows, place)).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  test('folds five similar siblings into one row, and four not', () => {
    const folding = { closed: new Set<number>(), unfolded: new Set<number>(), foldsAlike: true }
    const five = outlineOf(columnsOf([0, 1, 1, 1, 1, 1, 0]))
    expect([...visibleRows(five, folding)]).toEqual([0, ~1, 6])
    const four = outlineOf(columnsOf([0, 1, 1, 1, 1, 0]))
    expect(visibleRows(four, folding)).toHaveLength(6)
    // A failed one is never hidden in a fold.
    const failed = outlineOf(columnsOf([0, 1, 1, 1, 1, 1], { flags: [0, 0, 0, 1, 0, 0] }))
    expect(visibleRows(failed, folding)).toHaveLength(6)
  })

  test('of 100,000 steps is created and laid out in one pass', () => {
    const many = Array.from({ length: 100_000 }, (_, place) => (place % 10 === 0 ? 0 : 1))
    const outline = outlineOf(columnsOf(many))
    const folding = { closed: new Set<number>(), unfolded: new Set<number>(), foldsAlike: false }
    expect(visibleRows(outline, folding)).toHaveLength(100_000)
  })
})

describe('the map from time to pixels', () => {
  const intervals = fc.array(
    fc
      .tuple(fc.nat(600_000), fc.nat(60_000))
      .map(([from, length]) => [from, from + length] as const),
    { minLength: 1, maxLength: 30 },
  )

  test('keeps the order of moments, inside of its width', () => {
    fc.assert(
      fc.property(intervals, fc.array(fc.nat(660_000)), (busy, moments) => {
        const map = new TimeMap(stretchesOf(busy, { from: 0, to: 660_000 }, true), 800)
        const xs = moments.toSorted((a, b) => a - b).map((moment) => map.x(moment))
        expect(xs).toEqual(xs.toSorted((a, b) => a - b))
        for (const x of xs) expect(x >= 0 && x <= 800.001).toBe(true)
      }),
    )
  })

  test('a moment in which something ran comes back from its pixel', () => {
    fc.assert(
      fc.property(intervals, (busy) => {
        const map = new TimeMap(stretchesOf(busy, { from: 0, to: 660_000 }, true), 5000)
        for (const [from] of busy) expect(map.at(map.x(from))).toBeCloseTo(from, 3)
      }),
    )
  })

  test('cuts gaps over both five seconds and five percent, and reports their lengths', () => {
    const stretches = stretchesOf(
      [
        [0, 1000],
        [60_000, 61_000],
        [64_000, 65_000],
      ],
      { from: 0, to: 65_000 },
      true,
    )
    expect(stretches).toEqual([
      { from: 0, to: 1000 },
      { from: 60_000, to: 65_000 },
    ])
    const map = new TimeMap(stretches, 628)
    expect(map.cuts()).toEqual([{ x: 100, ms: 59_000 }])
    expect(map.x(60_000) - map.x(1000)).toBe(CUT_PX)
    expect(
      stretchesOf(
        [
          [0, 1000],
          [60_000, 61_000],
        ],
        { from: 0, to: 61_000 },
        false,
      ),
    ).toHaveLength(1)
  })
})
