import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromAttributes, toAttributes } from '../src/model-calls/usage/attributes.js'
import {
  countsOf,
  INPUT_PARTS,
  mergedRaw,
  OUTPUT_PARTS,
  PARTS,
  type Usage,
} from '../src/model-calls/usage/usage.js'
import { anyUsage as algebra } from './support/any-usage.js'
import { type Form, readForm, VECTORS } from './support/usage-vectors.js'

const sumOf = (usage: Usage, parts: readonly (keyof Usage)[] = PARTS): number =>
  parts.reduce((sum, part) => sum + (usage[part] ?? 0), 0)

test.each(VECTORS)('%s is read into its parts', (_, form, value, expected) => {
  expect(readForm(form, value)).toEqual(expected)
})

test('there are vectors of every form', () => {
  expect(VECTORS.length).toBeGreaterThanOrEqual(70)
  expect(new Set(VECTORS.map(([, form]) => form)).size).toBe(9)
})

/** Values as providers send them, and as they should not. */
const count = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 100_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(null, undefined, -5, Number.NaN, 0.5, '12', 1e12, {}) },
)
/** The shapes of the vectors, with any numbers in them. */
const anyUsage = fc
  .constantFrom(...VECTORS)
  .chain(([, form, value]) =>
    fc.record({ form: fc.constant(form), value: withAnyNumbers(value) as fc.Arbitrary<object> }),
  )
const withAnyNumbers = (value: unknown): fc.Arbitrary<unknown> => {
  if (Array.isArray(value)) return fc.tuple(...value.map(withAnyNumbers))
  if (typeof value === 'object' && value !== null)
    return fc.record(
      Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withAnyNumbers(one)])),
      { requiredKeys: [] },
    )
  return typeof value === 'string' ? fc.constant(value) : count
}

test('whatever a provider tells, parts are whole and never negative, and their sum is the total', () => {
  fc.assert(
    fc.property(anyUsage, ({ form, value }) => {
      const usage = readForm(form as Form, value as Record<string, unknown>)
      if (usage === undefined) return
      for (const part of PARTS) {
        const tokens = usage[part]
        if (tokens === undefined) continue
        expect(Number.isInteger(tokens)).toBe(true)
        expect(tokens).toBeGreaterThanOrEqual(0)
      }
      expect(sumOf(usage)).toBe(usage.total)
    }),
    { numRuns: 2000 },
  )
})

test('the sums of a generation are those of the parts, and unknown where no part is known', () => {
  fc.assert(
    fc.property(anyUsage, ({ form, value }) => {
      const usage = readForm(form as Form, value as Record<string, unknown>)
      if (usage === undefined) return
      const counts = countsOf(usage)
      expect(counts.tokenCount).toBe(usage.total)
      expect(counts.inputTokenCount).toBe(
        INPUT_PARTS.some((part) => usage[part] !== undefined)
          ? sumOf(usage, INPUT_PARTS)
          : undefined,
      )
      expect(counts.outputTokenCount).toBe(
        OUTPUT_PARTS.some((part) => usage[part] !== undefined)
          ? sumOf(usage, OUTPUT_PARTS)
          : undefined,
      )
      expect((counts.inputTokenCount ?? 0) + (counts.outputTokenCount ?? 0)).toBeLessThanOrEqual(
        usage.total,
      )
    }),
  )
})

const tellings = fc
  .constantFrom(...VECTORS.filter(([, form]) => form === 'anthropic' || form === 'gemini'))
  .chain(([, form, value]) =>
    fc.record({
      form: fc.constant(form),
      list: fc.array(numbersOnly(value) as fc.Arbitrary<Record<string, unknown>>, {
        minLength: 1,
        maxLength: 4,
      }),
    }),
  )
/** Numbers that have parts in them: every telling has them. */
const WHOLES = new Set(['promptTokenCount', 'output_tokens'])
const numbersOnly = (value: object): fc.Arbitrary<object> =>
  fc.record(
    Object.fromEntries(
      Object.entries(value)
        .filter(([, one]) => typeof one === 'number' || (one !== null && !Array.isArray(one)))
        .filter(([, one]) => typeof one !== 'string')
        .map(([name, one]) => [
          name,
          typeof one === 'object'
            ? numbersOnly(one)
            : fc.integer(WHOLES.has(name) ? { min: 1000, max: 2000 } : { max: 1000, min: 0 }),
        ]),
    ),
    { requiredKeys: Object.keys(value).filter((name) => WHOLES.has(name)) as never[] },
  )

test('usage that is told several times in a stream is the same in any order, and repeated', () => {
  fc.assert(
    fc.property(tellings, fc.infiniteStream(fc.nat()), ({ list }, random) => {
      const merged = (all: readonly Record<string, unknown>[]) =>
        all.reduce<Record<string, unknown>>((sum, one) => mergedRaw(sum, one), {})
      const other = [...list, ...list]
        .map((one) => ({ one, at: random.next().value as number }))
        .sort((a, b) => a.at - b.at)
        .map(({ one }) => one)
      expect(merged(other)).toEqual(merged(list))
    }),
  )
})

test('usage never becomes less by another telling', () => {
  fc.assert(
    fc.property(tellings, ({ form, list }) => {
      let sum: Record<string, unknown> = {}
      let before = 0
      for (const one of list) {
        sum = mergedRaw(sum, one)
        const total = readForm(form, sum)?.total ?? 0
        expect(total).toBeGreaterThanOrEqual(before)
        before = total
      }
    }),
  )
})

test('any usage that is written as attributes of a span is read as it was', () => {
  fc.assert(
    fc.property(algebra, (usage) => {
      const attributes = toAttributes(usage)
      expect(fromAttributes((name) => attributes[name])).toEqual(usage)
    }),
    { numRuns: 3000 },
  )
})

test('attributes of ours are written only where those of the conventions do not say the same', () => {
  expect(
    toAttributes({ input: 25, cached: 50, cacheWrite: 25, output: 1, reasoning: 2, total: 103 }),
  ).toEqual({
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 3,
    'gen_ai.usage.cache_read.input_tokens': 50,
    'gen_ai.usage.cache_creation.input_tokens': 25,
    'gen_ai.usage.reasoning.output_tokens': 2,
  })
  expect(
    toAttributes({ input: 1, cacheWrite5m: 2, cacheWrite1h: 3, output: 4, total: 10 }),
  ).toEqual({
    'gen_ai.usage.input_tokens': 6,
    'gen_ai.usage.output_tokens': 4,
    'gen_ai.usage.cache_creation.input_tokens': 5,
    'stepwell.usage.input': 1,
    'stepwell.usage.cache_write_5m': 2,
    'stepwell.usage.cache_write_1h': 3,
    'stepwell.usage.output': 4,
    'stepwell.usage.total': 10,
  })
})
