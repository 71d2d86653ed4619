import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { bytes, count, percent, score, signed, total } from '../src/format/number.js'
import { line, visible } from '../src/format/text.js'
import { duration, moment } from '../src/format/time.js'
import { forgetZone } from '../src/format/zone.js'
import { moved, shares, sumOf } from '../src/pages/prompts/split.js'
import { choicesOf } from '../src/scoring/value-control.js'
import { readable } from '../src/values/readable.js'

beforeEach(() => {
  vi.stubGlobal('localStorage', { getItem: () => 'utc', setItem: () => undefined })
  forgetZone()
})
afterEach(() => vi.unstubAllGlobals())

describe('figures', () => {
  test.each([
    [0.4, '0.4 ms'],
    [842, '842 ms'],
    [12_400, '12.4 s'],
    [125_000, '2 m 05 s'],
    [11_220_000, '3 h 07 m'],
    [187_200_000, '2 d 4 h'],
    [999.6, '1.0 s'],
    [59_960, '1 m 00 s'],
    [3_599_900, '1 h 00 m'],
    [31_536_000_000_000, '365 k d'],
    [1e308, '1.16e+300 d'],
    [Number.NEGATIVE_INFINITY, '−∞ d'],
    [null, '–'],
  ])('%s ms is %s', (ms, text) => expect(duration(ms)).toBe(text))

  test('a share is all of it only when nothing is missing', () => {
    expect([0, 0.0004, 0.5, 0.999, 2999 / 3000, 0.99995, 1].map(percent)).toEqual([
      '0 %',
      '0.04 %',
      '50 %',
      '99.9 %',
      '99.97 %',
      '99.995 %',
      '100 %',
    ])
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (all) => {
        expect(percent((all - 1) / all)).not.toBe('100 %')
      }),
    )
  })

  test('are exact to 9,999, and unknown is never 0', () => {
    expect([0, 9999, 10_000, 18_300, 999_950, 1_240_000].map(count)).toEqual([
      '0',
      '9,999',
      '10 k',
      '18.3 k',
      '1 M',
      '1.24 M',
    ])
    expect([count(null), score(undefined), percent(null), bytes(null)]).toEqual([
      '–',
      '–',
      '–',
      '–',
    ])
    expect([signed(0.5), signed(-0.5), signed(0)]).toEqual(['+0.5', '−0.5', '0'])
    expect([score(-6.134e-7), signed(-6.134e-7)]).toEqual(['−6.13e−7', '−6.13e−7'])
    expect([count(1.5e12), count(-1e308), count(Number.POSITIVE_INFINITY)]).toEqual([
      '1500 G',
      '−1e+308',
      '∞',
    ])
    expect([score(1e308), signed(Number.NEGATIVE_INFINITY)]).toEqual(['1e+308', '−∞'])
    expect([999.4, 999.6, 1234, -99_999.5, 123_456.789, 0.12345].map(score)).toEqual([
      '999',
      '1,000',
      '1,234',
      '−99,999',
      '123,457',
      '0.123',
    ])
    expect([total(1240, 'thread'), total(10_001, 'thread'), total(1, 'thread')]).toEqual([
      '1,240 threads',
      '≈ 10 k threads',
      '1 thread',
    ])
  })

  test('moments are a clock today, a day this year, and a date before, each with its time', () => {
    const now = new Date('2026-11-21T20:00:00Z')
    expect(moment('2026-11-21T14:03:12Z', now)).toBe('14:03:12')
    expect(moment('2026-02-03T14:03:12Z', now)).toBe('3 Feb 14:03')
    expect(moment('2025-02-03T14:03:12Z', now)).toBe('3 Feb 2025 14:03')
  })
})

describe('recorded text', () => {
  test('marks hidden and reversing characters, and changes nothing else', () => {
    expect(visible('a\u202Eb\u200Bc\u0000d\u001B[31m')).toBe('a⟨U+202E⟩b⟨U+200B⟩c␀d␛[31m')
    expect(visible('naïve 日本語 👍 مرحبا\tx\ny')).toBe('naïve 日本語 👍 مرحبا\tx\ny')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visible(text)).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200E\u200F\0]/)
      }),
    )
  })

  test('keeps the joiners of Persian, Hindi and emoji, and marks those without a meaning', () => {
    for (const text of ['می\u200Cخواهم', 'नमस्\u200Cते', 'نامه\u200D', '👩🏽\u200D💻', '🏳️\u200D🌈'])
      expect(visible(text)).toBe(text)
    expect(visible('pay\u200Dpal \u200C')).toBe('pay⟨U+200D⟩pal ⟨U+200C⟩')
    expect(visible('می\u200C\u200C')).toBe('می\u200C⟨U+200C⟩')
  })

  test('up to 30 marks on a character stay, and more are counted', () => {
    const marked = `a${'\u0301'.repeat(30)}`
    expect(visible(marked)).toBe(marked)
    expect(visible(`${marked}\u0301b`)).toBe(`${marked}⟨1 more mark⟩b`)
    expect(visible(`${marked}${'\u0323'.repeat(50_000)}`)).toBe(`${marked}⟨50,000 more marks⟩`)
    const written = 'e\u0301\u0323'.repeat(100)
    expect(visible(written)).toBe(written)
  })

  test('is cut to a cell before it reaches the page', () => {
    expect(line('x'.repeat(1_000_000)).length).toBeLessThan(310)
    expect(line('two\n  lines')).toBe('two lines')
  })

  test('is readable, with line breaks as lines, and to any depth', () => {
    expect(
      readable({ order_id: 1042, note: 'two\nlines', tags: ['a', { b: null }], none: {} }),
    ).toBe('order_id: 1042\nnote: |\n  two\n  lines\ntags:\n  - a\n  - b: null\nnone: {}')
    expect(readable({ a: 'true', b: '1', c: '' })).toBe('a: "true"\nb: "1"\nc: ""')
    let deep: unknown = 'end'
    for (let level = 0; level < 400; level++) deep = { deep }
    expect(readable(deep)).toContain('end')
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(typeof readable(value)).toBe('string')
      }),
    )
  })
})

describe('a split', () => {
  const weights = fc
    .array(fc.nat(1000), { minLength: 1, maxLength: 8 })
    .filter((all) => all.some((one) => one > 0))

  test('always sums to 100, however it is changed', () => {
    fc.assert(
      fc.property(
        weights,
        fc.array(
          fc.record({
            version: fc.nat(7),
            wanted: fc.oneof(
              fc.integer({ min: -50, max: 150 }),
              fc.double({ min: -50, max: 150, noNaN: true }),
            ),
            locks: fc.boolean(),
          }),
        ),
        (given, moves) => {
          let split = shares(given.map((rollout, version) => ({ version, rollout })))
          for (const { version, wanted, locks } of moves) {
            if (!split.some((share) => share.version === version && !share.isLocked)) continue
            const before = split
            split = moved(split, version, wanted)
            for (const [index, share] of split.entries())
              if (share.isLocked) expect(share.percent).toBe(before[index]?.percent)
            if (locks)
              split = split.map((share) =>
                share.version === version ? { ...share, isLocked: true } : share,
              )
          }
          expect(sumOf(split)).toBe(100)
          for (const { percent: part } of split) {
            expect(part).toBeGreaterThanOrEqual(0)
            expect(String(part)).toMatch(/^\d+(\.\d\d?)?$/)
          }
        },
      ),
    )
  })

  test('never says that a version with calls gets none, nor takes its calls when another one moves', () => {
    const canary = (...rollouts: number[]) =>
      shares(rollouts.map((rollout, version) => ({ version, rollout })))
    const parts = (split: ReturnType<typeof shares>) => split.map(({ percent: part }) => part)
    expect(parts(canary(99.5, 0.5))).toEqual([99.5, 0.5])
    expect(parts(canary(1, 1, 1))).toEqual([33.34, 33.33, 33.33])
    expect(parts(canary(1_000_000, 1))).toEqual([99.99, 0.01])
    expect(parts(moved(canary(99.5, 0.5, 0), 2, 10))).toEqual([89.55, 0.45, 10])
    expect(parts(canary(60, 40))).toEqual([60, 40])
  })

  test('shares the rest among the others in proportion', () => {
    const split = shares([
      { version: 0, rollout: 60 },
      { version: 1, rollout: 20 },
      { version: 2, rollout: 20 },
    ])
    expect(moved(split, 0, 20).map(({ percent: part }) => part)).toEqual([20, 40, 40])
    expect(moved(split, 2, 100).map(({ percent: part }) => part)).toEqual([0, 0, 100])
  })
})

test('the choices of a score are its labels, its range, or the values given so far', () => {
  const seen = (...values: number[]) => values.map((value) => ({ value, label: null }))
  const defined = {
    name: 'q',
    kind: 'NUMBER' as const,
    isEnforced: false,
    description: null,
    min: null,
    max: null,
    labels: [],
    better: 'HIGHER' as const,
  }
  expect(choicesOf({ ...defined, labels: [{ value: 2, label: 'two' }] }, [])).toEqual([
    { value: 2, label: 'two' },
  ])
  expect(choicesOf({ ...defined, min: 1, max: 5 }, []).map(({ value }) => value)).toEqual([
    1, 2, 3, 4, 5,
  ])
  const ofRange = (min: number, max: number) =>
    choicesOf({ ...defined, min, max }, []).map(({ value }) => value)
  expect(ofRange(0, 1)).toEqual([0, 0.25, 0.5, 0.75, 1])
  expect(ofRange(0, 0.3)).toEqual([0, 0.075, 0.15, 0.225, 0.3])
  expect(ofRange(-1, 1)).toEqual([-1, 0, 1])
  expect(ofRange(0, 100)).toEqual([])
  expect(
    choicesOf({ ...defined, kind: 'BOOLEAN', min: 0, max: 1 }, []).map(({ label }) => label),
  ).toEqual(['false', 'true'])
  expect(choicesOf(undefined, []).map(({ value }) => value)).toEqual([0, 1])
  expect(choicesOf(undefined, seen(1, 4)).map(({ value }) => value)).toEqual([1, 2, 3, 4])
  expect(choicesOf(undefined, seen(0.2, 0.9))).toEqual([])
})

test('a text is never cut within an emoji', () => {
  const family = '👨\u{1F3FD}'
  for (let before = 0; before < 8; before++) {
    const cut = line('x'.repeat(before) + family.repeat(3), 8)
    expect(cut).toMatch(/^x*(👨\u{1F3FD})*…$/u)
    expect(cut.length).toBeLessThanOrEqual(9)
  }
})
