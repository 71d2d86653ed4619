import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Part, type Usage, usageOf } from '../generated/model-calls/usage/usage.js'
import { ageOfBook, BOOK, findInBook } from '../src/domain/prices/book.js'
import { dollarsOf, parseDollars, parseRate } from '../src/domain/prices/money.js'
import { type PricedCall, priceCall } from '../src/domain/prices/price-call.js'

// Invoices computed by hand from the providers' price pages: each line is one call.

interface Shape {
  /** The provider and the model as an application records them. */
  call: readonly [provider: string | null, model: string]
  day: string
  usage: Partial<Record<Part | 'total', number>>
  settings?: object
  /** Dollars, as text: no digit may be missing. */
  invoice: string | null
  /** The parts that are not on the invoice. */
  unpriced?: readonly (Part | `${Part}?`)[]
}

const K = 1000
const M = 1_000_000

const SHAPES: Record<string, Shape> = {
  'a plain chat': {
    call: ['openai', 'gpt-4o'],
    day: '2025-01-15',
    usage: { input: 1200, output: 350 },
    invoice: '0.0065',
  },
  'the same model before its price fell': {
    call: ['openai', 'gpt-4o'],
    day: '2024-10-01',
    usage: { input: 1200, output: 350 },
    invoice: '0.01125',
  },
  'the first moment of a new price': {
    call: ['openai', 'gpt-4o'],
    day: '2024-10-02',
    usage: { input: 1200, output: 350 },
    invoice: '0.0065',
  },
  'a model by its day': {
    call: ['openai', 'gpt-4o-2024-05-13'],
    day: '2025-01-15',
    usage: { input: 1200, output: 350 },
    invoice: '0.01125',
  },
  'input from a cache': {
    call: ['openai', 'gpt-4o'],
    day: '2025-01-15',
    usage: { input: 500, cached: 1536, output: 200 },
    invoice: '0.00517',
  },
  'a cache before it had a price': {
    call: ['openai', 'gpt-4o'],
    day: '2024-09-01',
    usage: { input: 500, cached: 100, output: 0 },
    invoice: '0.0025',
    unpriced: ['cached'],
  },
  'a small model': {
    call: ['openai', 'gpt-4o-mini'],
    day: '2025-01-15',
    usage: { input: 10 * K, cached: 0, output: 2 * K },
    invoice: '0.0027',
  },
  'one token': {
    call: ['openai', 'gpt-4o-mini'],
    day: '2025-01-15',
    usage: { input: 1, output: 0 },
    invoice: '0.00000015',
  },
  'nothing at all': {
    call: ['openai', 'gpt-4o-mini'],
    day: '2025-01-15',
    usage: { input: 0, output: 0 },
    invoice: '0',
  },
  'reasoning, which is billed as output': {
    call: ['openai', 'o1'],
    day: '2025-02-01',
    usage: { input: 2 * K, reasoning: 3 * K, output: 500 },
    invoice: '0.24',
  },
  'o3 before its price fell': {
    call: ['openai', 'o3'],
    day: '2025-06-09',
    usage: { input: 1 * K, output: 0, reasoning: 1 * K },
    invoice: '0.05',
  },
  'o3 after its price fell': {
    call: ['openai', 'o3'],
    day: '2025-06-10',
    usage: { input: 1 * K, output: 0, reasoning: 1 * K },
    invoice: '0.01',
  },
  'a flexible service tier': {
    call: ['openai', 'o3'],
    day: '2025-07-01',
    usage: { input: 1 * K, cached: 1 * K, output: 1 * K },
    settings: { service_tier: 'flex' },
    invoice: '0.00525',
  },
  'a priority service tier': {
    call: ['openai', 'gpt-5'],
    day: '2025-09-01',
    usage: { input: 1 * K, cached: 1 * K, output: 1 * K },
    settings: { service_tier: 'priority' },
    invoice: '0.02275',
  },
  'a batch': {
    call: ['openai', 'gpt-4.1'],
    day: '2025-09-01',
    usage: { input: 1 * M, output: 1 * M },
    settings: { serviceTier: 'Batch' },
    invoice: '5',
  },
  'a batch with a cache, whose price is not known': {
    call: ['openai', 'gpt-4.1'],
    day: '2025-09-01',
    usage: { input: 1 * M, cached: 10, output: 0 },
    settings: { service_tier: 'batch' },
    invoice: '1',
    unpriced: ['cached'],
  },
  'the default service tier': {
    call: ['openai', 'gpt-5'],
    day: '2025-09-01',
    usage: { input: 1 * M, output: 0 },
    settings: { service_tier: 'default' },
    invoice: '1.25',
  },
  'a service tier without a price': {
    call: ['openai', 'gpt-4-turbo'],
    day: '2025-01-15',
    usage: { input: 100, output: 100 },
    settings: { service_tier: 'priority' },
    invoice: null,
    unpriced: ['input', 'output'],
  },
  'sound in and out': {
    call: ['openai', 'gpt-4o-audio-preview-2024-12-17'],
    day: '2025-01-15',
    usage: { input: 100, audioInput: 1 * K, output: 50, audioOutput: 2 * K },
    invoice: '0.20075',
  },
  'sound that a model has no price for': {
    call: ['openai', 'gpt-4o'],
    day: '2025-01-15',
    usage: { input: 1 * K, audioInput: 7, output: 0 },
    invoice: '0.0025',
    unpriced: ['audioInput'],
  },
  'an embedding': {
    call: ['openai', 'text-embedding-3-small'],
    day: '2025-01-15',
    usage: { input: 8191 },
    invoice: '0.00016382',
  },
  'a total with an unexplained part': {
    call: ['openai', 'gpt-4o'],
    day: '2025-01-15',
    usage: { input: 100, output: 100, total: 250 },
    invoice: '0.00125',
    unpriced: ['unexplained'],
  },
  'a total alone': {
    call: ['openai', 'gpt-4o'],
    day: '2025-01-15',
    usage: { total: 250 },
    invoice: null,
    unpriced: ['unexplained', 'input?', 'output?'],
  },
  'an answer whose length is unknown': {
    call: ['openai', 'gpt-4o'],
    day: '2025-01-15',
    usage: { input: 1 * K },
    invoice: '0.0025',
    unpriced: ['output?'],
  },
  'a gateway that names the provider': {
    call: ['openrouter', 'openai/gpt-4o-mini'],
    day: '2025-01-15',
    usage: { input: 1 * M, output: 0 },
    invoice: '0.15',
  },
  'a prefix of a prefix': {
    call: [null, 'openrouter/anthropic/claude-3.5-sonnet'],
    day: '2025-01-15',
    usage: { input: 1 * K, output: 1 * K },
    invoice: '0.018',
  },
  'no provider, and a model that one alone has': {
    call: [null, 'claude-3-haiku-20240307'],
    day: '2024-04-01',
    usage: { input: 4 * K, output: 400 },
    invoice: '0.0015',
  },
  'an unknown provider': {
    call: ['our-proxy', 'gpt-4o'],
    day: '2025-01-15',
    usage: { input: 1, output: 1 },
    invoice: null,
    unpriced: ['input', 'output'],
  },
  'a model of another provider': {
    call: ['openai', 'claude-3-haiku-20240307'],
    day: '2025-01-15',
    usage: { input: 1, output: 1 },
    invoice: null,
    unpriced: ['input', 'output'],
  },
  'an unknown day of a known model': {
    call: ['openai', 'gpt-4o-2031-01-01'],
    day: '2025-01-15',
    usage: { input: 1, output: 1 },
    invoice: null,
    unpriced: ['input', 'output'],
  },
  'a model before it had a price': {
    call: ['openai', 'gpt-5'],
    day: '2025-01-15',
    usage: { input: 1, output: 1 },
    invoice: null,
    unpriced: ['input', 'output'],
  },
  'a cache that is written and read': {
    call: ['anthropic', 'claude-3-5-sonnet-20241022'],
    day: '2025-01-15',
    usage: { input: 200, cacheWrite5m: 10 * K, cached: 50 * K, output: 1 * K },
    invoice: '0.0681',
  },
  'a cache for an hour': {
    call: ['anthropic', 'claude-sonnet-4-20250514'],
    day: '2025-07-01',
    usage: { input: 0, cacheWrite1h: 100 * K, output: 100 },
    invoice: '0.6015',
  },
  'a cache for an unknown time': {
    call: ['anthropic', 'claude-sonnet-4-20250514'],
    day: '2025-07-01',
    usage: { input: 1 * K, cacheWrite: 9, output: 0 },
    invoice: '0.003',
    unpriced: ['cacheWrite'],
  },
  'the same before there were hours': {
    call: ['anthropic', 'claude-3-5-sonnet-20241022'],
    day: '2025-01-15',
    usage: { input: 1 * K, cacheWrite: 1 * K, output: 0 },
    invoice: '0.00675',
  },
  'a large input at its limit': {
    call: ['anthropic', 'claude-sonnet-4-5'],
    day: '2025-10-01',
    usage: { input: 150 * K, cached: 50 * K, output: 1 * K },
    invoice: '0.48',
  },
  'a large input one token above': {
    call: ['anthropic', 'claude-sonnet-4-5'],
    day: '2025-10-01',
    usage: { input: 150 * K + 1, cached: 50 * K, output: 1 * K },
    invoice: '0.952506',
  },
  'Haiku before its price fell': {
    call: ['anthropic.messages', 'claude-3-5-haiku-20241022'],
    day: '2024-12-02',
    usage: { input: 1 * M, output: 1 * M },
    invoice: '6',
  },
  'Haiku after its price fell': {
    call: ['anthropic.messages', 'claude-3-5-haiku-20241022'],
    day: '2024-12-03',
    usage: { input: 1 * M, output: 1 * M },
    invoice: '4.8',
  },
  'Opus in a batch': {
    call: ['anthropic', 'claude-opus-4-1'],
    day: '2025-09-01',
    usage: { input: 1 * M, output: 1 * M },
    settings: { service_tier: 'batch' },
    invoice: '45',
  },
  'Gemini with images': {
    call: ['google', 'gemini-1.5-flash'],
    day: '2025-01-15',
    usage: { input: 1 * K, imageInput: 258, output: 100 },
    invoice: '0.00012435',
  },
  'Gemini before its price fell': {
    call: ['gcp.gemini', 'gemini-1.5-flash'],
    day: '2024-08-11',
    usage: { input: 100 * K, output: 1 * K },
    invoice: '0.03605',
  },
  'Gemini with a large input': {
    call: ['google', 'models/gemini-1.5-pro'],
    day: '2025-01-15',
    usage: { input: 128 * K + 1, output: 1 * K },
    invoice: '0.3300025',
  },
  'Gemini with a thought': {
    call: ['google', 'gemini-2.5-pro'],
    day: '2025-12-01',
    usage: { input: 10 * K, cached: 100 * K, output: 1 * K, reasoning: 9 * K },
    invoice: '0.125',
  },
  'Gemini with sound': {
    call: ['google', 'gemini-2.5-flash'],
    day: '2025-07-01',
    usage: { input: 1 * K, audioInput: 1 * K, output: 100 },
    invoice: '0.00155',
  },
  'a price that ends within a day': {
    call: ['deepseek', 'deepseek-chat'],
    day: '2025-02-08T15:59:59.999Z',
    usage: { input: 1 * M, output: 0 },
    invoice: '0.14',
  },
  'a moment later': {
    call: ['deepseek', 'deepseek-chat'],
    day: '2025-02-08T16:00:00.000Z',
    usage: { input: 1 * M, output: 0 },
    invoice: '0.27',
  },
  'a time for which prices depended on the hour': {
    call: ['deepseek', 'deepseek-chat'],
    day: '2025-05-01',
    usage: { input: 1 * M, output: 0 },
    invoice: null,
    unpriced: ['input'],
  },
  'a model of a region': {
    call: ['aws.bedrock', 'eu.anthropic.claude-3-5-sonnet-20240620-v1:0'],
    day: '2025-01-15',
    usage: { input: 1 * K, output: 1 * K },
    invoice: '0.018',
  },
  'a small price': {
    call: ['groq', 'llama-3.1-8b-instant'],
    day: '2025-01-15',
    usage: { input: 333, output: 77 },
    invoice: '0.00002281',
  },
  'a large input in a batch': {
    call: ['anthropic', 'claude-sonnet-4-5'],
    day: '2025-10-01',
    usage: { input: 300 * K, output: 1 * K },
    settings: { service_tier: 'batch' },
    invoice: '0.91125',
  },
  'a large input while it cost more': {
    call: ['anthropic', 'claude-opus-4-6'],
    day: '2026-03-12',
    usage: { input: 300 * K, output: 1 * K },
    invoice: '3.0375',
  },
  'a large input since it costs the same': {
    call: ['anthropic', 'claude-opus-4-6'],
    day: '2026-03-13',
    usage: { input: 300 * K, output: 1 * K },
    invoice: '1.525',
  },
  'a price that was to rise and did not': {
    call: ['anthropic', 'claude-sonnet-5'],
    day: '2026-09-01',
    usage: { input: 10 * K, cached: 100 * K, cacheWrite1h: 5 * K, output: 1 * K },
    invoice: '0.07',
  },
  'a cache that OpenAI writes': {
    call: ['openai', 'gpt-5.6-terra'],
    day: '2026-07-29',
    usage: { input: 1 * K, cacheWrite: 10 * K, cached: 20 * K, output: 1 * K },
    invoice: '0.05375',
  },
  'the same after its price fell': {
    call: ['openai', 'gpt-5.6-terra'],
    day: '2026-07-30',
    usage: { input: 1 * K, cacheWrite: 10 * K, cached: 20 * K, output: 1 * K },
    invoice: '0.043',
  },
  'a large input at a price of its own': {
    call: ['openai', 'gpt-5.4'],
    day: '2026-04-01',
    usage: { input: 272 * K + 1, output: 1 * K },
    invoice: '1.382505',
  },
  'a large input that the service tier has no price for': {
    call: ['openai', 'gpt-5.4'],
    day: '2026-04-01',
    usage: { input: 300 * K, output: 1 * K },
    settings: { service_tier: 'priority' },
    invoice: null,
    unpriced: ['input', 'output'],
  },
  'a model whose price has changed to one that is not known': {
    call: ['openai', 'gpt-5.6-sol'],
    day: '2026-08-21',
    usage: { input: 1 * K, output: 1 * K },
    invoice: null,
    unpriced: ['input', 'output'],
  },
  'Gemini that makes an image': {
    call: ['google', 'gemini-2.5-flash-image'],
    day: '2026-08-01',
    usage: { input: 100, output: 10, imageOutput: 1290 },
    invoice: '0.038755',
  },
  'an introductory price': {
    call: ['google', 'gemini-3.7-flash'],
    day: '2026-12-31',
    usage: { input: 1 * M, output: 1 * M },
    settings: { service_tier: 'flex' },
    invoice: '2.25',
  },
  'a cache whose price fell at noon': {
    call: ['deepseek', 'deepseek-v4-flash'],
    day: '2026-04-26T12:15:00Z',
    usage: { input: 1 * K, cached: 1 * M, output: 1 * K },
    invoice: '0.00322',
  },
  'a model in all regions of a host': {
    call: ['bedrock', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    day: '2026-01-15',
    usage: { input: 10 * K, output: 1 * K },
    invoice: '0.045',
  },
  'the same model within a region': {
    call: ['bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    day: '2026-01-15',
    usage: { input: 10 * K, output: 1 * K },
    invoice: '0.0495',
  },
}

const callOf = ({ call: [provider, model], day, usage, settings }: Shape): PricedCall => {
  const { total, ...parts } = usage
  return {
    provider,
    model,
    usage: usageOf(parts, total) ?? null,
    tokenCount: null,
    inputTokenCount: null,
    outputTokenCount: null,
    settings,
    clientCost: null,
    moment: new Date(day).toISOString().replace('Z', '000Z'),
  }
}

const PICODOLLARS_OF_DOLLAR = 12

/** Returns picodollars of a decimal number, digit by digit. */
const picodollars = (decimal: string): number => {
  const [whole = '', fraction = ''] = decimal.split('.')
  return Number(`${whole}${fraction.padEnd(PICODOLLARS_OF_DOLLAR, '0')}`)
}

describe('usage and its invoice', () => {
  test('there are at least 40 of them', () => {
    expect(Object.keys(SHAPES).length).toBeGreaterThanOrEqual(40)
  })

  test.each(Object.entries(SHAPES))('%s', (_, shape) => {
    const { cost, isPartial, unpriced } = priceCall(callOf(shape), findInBook)
    expect(cost).toBe(shape.invoice === null ? null : picodollars(shape.invoice))
    expect(unpriced.map(({ part, tokens }) => (tokens === null ? `${part}?` : part))).toEqual(
      shape.unpriced ?? [],
    )
    expect(isPartial).toBe(shape.unpriced !== undefined)
  })
})

test('sums without parts are input and output, and the rest of a total is not understood', () => {
  const call: PricedCall = {
    ...callOf(SHAPES['a plain chat'] as Shape),
    usage: null,
    inputTokenCount: 1200,
    outputTokenCount: 350,
  }
  expect(priceCall(call, findInBook)).toMatchObject({
    cost: picodollars('0.0065'),
    isPartial: false,
  })
  expect(priceCall({ ...call, tokenCount: 1560 }, findInBook)).toMatchObject({
    cost: picodollars('0.0065'),
    unpriced: [{ part: 'unexplained', tokens: 10, reason: 'NO_PRICE' }],
  })
})

test('the cost of parts is the cost of the whole, whatever has a price', () => {
  const part = fc.option(fc.nat({ max: 2_000_000 }), { nil: undefined })
  const usages = fc.record({
    input: part,
    cached: part,
    cacheWrite5m: part,
    audioInput: part,
    output: part,
    reasoning: part,
  })
  const entries = fc.constantFrom(...BOOK)
  fc.assert(
    fc.property(usages, entries, (parts, { provider, models, from }) => {
      const usage: Usage | undefined = usageOf(parts)
      const priced = priceCall(
        {
          ...callOf({ call: [provider, models[0] ?? ''], day: from, usage: {}, invoice: null }),
          usage: usage ?? null,
        },
        findInBook,
      )
      expect(priced.cost ?? 0).toBe(
        priced.parts.reduce((sum, { tokens, rate }) => sum + tokens * rate, 0),
      )
      const shown = [...priced.parts, ...priced.unpriced].flatMap(({ tokens }) => tokens ?? [])
      expect(shown.reduce((sum, tokens) => sum + tokens, 0)).toBe(usage?.total ?? 0)
    }),
    { numRuns: 1000 },
  )
})

test('the book names each model of a provider once at any moment, with a page and a day', () => {
  for (const { provider, models, from, until, source, asOf } of BOOK) {
    expect(source).toMatch(/^https:\/\//)
    expect(asOf).toMatch(/^\d{4}-\d\d-\d\d$/)
    if (until !== null) expect(until > from).toBe(true)
    for (const model of models) {
      const same = BOOK.filter(
        (other) =>
          other.provider === provider &&
          other.models.includes(model) &&
          other.from <= from &&
          (other.until === null || from < other.until),
      )
      expect([model, same.length]).toEqual([model, 1])
    }
  }
})

test('a book is old after 60 days', () => {
  expect(ageOfBook('2026-08-22T00:00:00.000000Z')).toEqual({ ageDays: 1, isOld: false })
  expect(ageOfBook('2026-10-20T23:00:00.000000Z')).toEqual({ ageDays: 60, isOld: false })
  expect(ageOfBook('2026-10-21T00:00:00.000000Z')).toEqual({ ageDays: 61, isOld: true })
})

test('dollars are read by their decimal form', () => {
  expect(parseDollars('cost', 0.1)).toBe(100_000_000_000)
  expect(parseDollars('cost', 1.5e-7)).toBe(150_000)
  expect(parseDollars('cost', 4e-13)).toBe(0)
  expect(parseDollars('cost', 5e-13)).toBe(1)
  expect(() => parseDollars('cost', 1e21)).toThrow('expected dollars from 0 to 9007')
  expect(parseRate('rate', 0.01875)).toBe(18_750)
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 46 }), (amount) => {
      expect(parseDollars('cost', dollarsOf(amount))).toBe(amount)
    }),
  )
})
