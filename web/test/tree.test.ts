import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StepType } from '../../generated/schema.js'
import { alikeFacts } from '../src/pages/thread/outline/alike.js'
import { firstRowWithin } from '../src/pages/thread/outline/rows.js'
import { subtreeSums, sumOfSiblings } from '../src/pages/thread/outline/sums.js'
import { stretchesOf, TimeMap } from '../src/pages/thread/tree/time-map.js'
import { busyTimes } from '../src/pages/thread/tree/use-time-window.js'
import { outlineOf } from './support/outlines.js'

const WINDOW = { from: 0, to: 660_000 }

describe('sums of tokens', () => {
  test('are those of all steps below, and unknown where none was recorded', () => {
    const outline = outlineOf(['run', ['llm', 1], ['tool', 1], ['llm', 2], 'run', ['tool', 1]], {
      tokens: [null, 100, null, 20, null, null],
    })
    expect([...subtreeSums(outline, outline.tokens)]).toEqual([
      120,
      100,
      20,
      20,
      Number.NaN,
      Number.NaN,
    ])
  })

  test('count a call that is several spans once, and calls of the SDK within another each', () => {
    const spans = (count: number) =>
      Array.from(
        { length: count },
        (_, place) => `${'a'.repeat(32)}-${`${place}`.padStart(16, '0')}`,
      )
    const tree = ['run', ['llm', 1], ['undefined', 2], ['llm', 3], ['llm', 3]] as const
    const outline = outlineOf(tree, { id: spans(5), tokens: [null, 100, null, 60, 30] })
    // The outer call tells 10 tokens more than the two attempts in it.
    expect([...subtreeSums(outline, outline.tokens)]).toEqual([100, 100, 90, 60, 30])
    const agent = outlineOf(['llm', ['tool', 1], ['llm', 2]], {
      id: spans(3),
      tokens: [100, null, 60],
    })
    expect(subtreeSums(agent, agent.tokens)[0]).toBe(160)
    const steps = outlineOf(tree, { tokens: [null, 100, null, 60, 30] })
    expect([...subtreeSums(steps, steps.tokens)]).toEqual([190, 190, 90, 60, 30])
  })

  test('of costs are exact in picodollars, and calls without a price are counted upwards', () => {
    const outline = outlineOf(['run', ['llm', 1], ['run', 1], ['llm', 2], ['llm', 2]], {
      cost: [null, 0.1, null, 0.2, null],
      flags: [0, 0, 0, 0, 16 + 32],
    })
    expect([...subtreeSums(outline, outline.cost)].map((sum) => sum / 1e12)).toEqual([
      0.3,
      0.1,
      0.2,
      0.2,
      Number.NaN,
    ])
    expect([...outline.unpriced]).toEqual([1, 0, 1, 0, 1])
    const sums = subtreeSums(outline, outline.cost)
    expect(sumOfSiblings(outline, sums, 1, 5) / 1e12).toBe(0.3)
    expect(sumOfSiblings(outline, sums, 4, 5)).toBe(Number.NaN)
  })

  test('of roots are what a plain sum gives when no call lies within another', () => {
    const steps = fc.array(
      fc.tuple(fc.constantFrom<StepType>('run', 'tool', 'llm'), fc.nat(4), fc.option(fc.nat(5000))),
      { minLength: 1, maxLength: 60 },
    )
    fc.assert(
      fc.property(steps, (given) => {
        let last = -1
        let isCall = false
        const types = given.map(([type, wanted]): [StepType, number] => {
          // Nothing is below a call.
          last = Math.min(wanted, isCall ? last : last + 1)
          isCall = type === 'llm'
          return [type, last]
        })
        const outline = outlineOf(types, { tokens: given.map(([, , tokens]) => tokens) })
        const sums = subtreeSums(outline, outline.tokens)
        let total = 0
        for (let place = 0; place < outline.count; place += outline.size[place] ?? 1)
          total += sums[place] || 0
        expect(total).toBe(given.reduce((sum, [, , tokens]) => sum + (tokens ?? 0), 0))
      }),
    )
  })
})

describe('a row that stands for like steps', () => {
  test('says their number, the middle duration, and the ones that took far longer', () => {
    const ms = [70, 80, 60, 2100, 75, 900]
    const outline = outlineOf(['run', ...ms.map(() => ['tool', 1] as const)], {
      duration: [null, ...ms],
    })
    expect(alikeFacts(outline, 1)).toEqual({
      count: 6,
      median: 75,
      slowest: 4,
      slowestMs: 2100,
      outliers: 2,
    })
  })

  test('has no outliers where all take about as long, or none has a duration', () => {
    const alike = (duration: (number | null)[]) =>
      alikeFacts(
        outlineOf(
          duration.map(() => 'tool' as const),
          { duration },
        ),
        0,
      )
    expect(alike([1, 2, 4, 8, 16]).outliers).toBe(0)
    expect(alike([null, null, null, null, null])).toEqual({
      count: 5,
      median: Number.NaN,
      slowest: -1,
      slowestMs: Number.NaN,
      outliers: 0,
    })
  })
})

describe('a window of time', () => {
  const intervals = fc.array(
    fc.tuple(fc.nat(600_000), fc.nat(60_000)).map(([at, ms]) => [at, at + ms] as const),
    { maxLength: 30 },
  )

  test('is drawn from its first to its last moment, whatever ran in it and with or without cuts', () => {
    fc.assert(
      fc.property(
        intervals,
        fc.nat(600_000),
        fc.nat(50_000),
        fc.boolean(),
        (busy, from, ms, cuts) => {
          const window = { from, to: from + 1 + ms }
          const map = new TimeMap(stretchesOf(busy, window, cuts), 800)
          expect([map.from, map.to]).toEqual([window.from, window.to])
          expect(map.x(window.from)).toBeCloseTo(0)
          expect(map.x(window.to)).toBeCloseTo(800)
        },
      ),
    )
  })

  test('without idle time has no gap of more than five seconds and half a percent of the busy time', () => {
    fc.assert(
      fc.property(intervals, (busy) => {
        fc.pre(busy.some(([from, to]) => to > from))
        const stretches = stretchesOf(busy, WINDOW, true)
        const left = stretches.reduce((sum, { from, to }) => sum + to - from, 0)
        const longest = Math.max(5000, left * 0.005)
        const sorted = [[0, 0] as const, ...busy, [660_000, 660_000] as const].toSorted(
          ([a], [b]) => a - b,
        )
        let end = 0
        for (const [from, to] of sorted) {
          if (from - end > longest) expect(stretches.some((one) => one.to === end)).toBe(true)
          end = Math.max(end, to)
        }
      }),
    )
  })

  test('in which nothing ran is drawn whole, as no cut would leave anything', () => {
    expect(stretchesOf([[100, 100]], { from: 0, to: 90_000 }, true)).toEqual([
      { from: 0, to: 90_000 },
    ])
  })

  test('of a hundred turns is cut at each pause, and keeps most of its width for what ran', () => {
    const turns = Array.from(
      { length: 100 },
      (_, turn) => [turn * 40_000, turn * 40_000 + 5000] as const,
    )
    const stretches = stretchesOf(turns, { from: 0, to: 3_965_000 }, true)
    expect(stretches).toHaveLength(100)
    const map = new TimeMap(stretches, 300)
    const cut = map.cuts().length * map.cutWidth
    expect(cut).toBeLessThanOrEqual(300 * 0.35 + 0.001)
    expect(map.cuts().every(({ ms }) => ms === 35_000)).toBe(true)
  })

  test('cuts pauses inside of a step that holds the whole conversation', () => {
    const outline = outlineOf(
      ['run', ['user_message', 1], ['llm', 1], ['user_message', 1], ['llm', 1]],
      { start: [0, 0, 100, 60_000, 60_100], duration: [62_000, null, 1000, null, 1900] },
    )
    expect(stretchesOf(busyTimes(outline), { from: 0, to: 62_000 }, true)).toEqual([
      { from: 0, to: 1100 },
      { from: 60_000, to: 62_000 },
    ])
  })

  test('begins at the first row that starts in it, else at the deepest that runs through it', () => {
    const outline = outlineOf(['run', ['tool', 1], ['tool', 1]], {
      start: [0, 100, 500],
      duration: [1000, 200, 100],
    })
    const rows = Int32Array.from([0, 1, 2])
    expect(firstRowWithin(outline, rows, { from: 400, to: 600 })).toBe(2)
    expect(firstRowWithin(outline, rows, { from: 150, to: 200 })).toBe(1)
    expect(firstRowWithin(outline, rows, { from: 2000, to: 3000 })).toBe(-1)
  })
})
