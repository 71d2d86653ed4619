import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../test/support/runs.js'
import type { Ask } from './support/ask.js'
import { useService } from './support/new-service.js'

// Costs of threads against a plain recomputation from all that was sent, in any order of parts, prices and repricing.

const newProject = useService()

interface Part {
  step: number
  thread: number | undefined
  hour: number | undefined
  model: string | undefined
  input: number | undefined
  output: number | undefined
  cost: number | undefined
}
interface PriceChange {
  model: string
  fromHour: number
  /** Dollars per million tokens. */
  input: number
  output: number | undefined
}

const MODELS = ['one', 'two', 'three']
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const parts: fc.Arbitrary<Part> = fc.record({
  step: fc.nat({ max: 5 }),
  thread: optional(fc.nat({ max: 2 })),
  hour: optional(fc.nat({ max: 3 })),
  model: optional(fc.constantFrom(...MODELS)),
  input: optional(fc.nat({ max: 3_000_000 })),
  output: optional(fc.nat({ max: 3_000_000 })),
  cost: fc.option(fc.constantFrom(0.01, 0.1, 7), { nil: undefined, freq: 6 }),
})
const changes: fc.Arbitrary<PriceChange> = fc.record({
  model: fc.constantFrom(...MODELS),
  fromHour: fc.nat({ max: 3 }),
  input: fc.constantFrom(0, 0.000001, 0.15, 2.5),
  output: optional(fc.constantFrom(0.6, 10)),
})
const events = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.array(parts, { minLength: 1, maxLength: 6 }).map((sent) => ({ sent })),
    },
    {
      weight: 2,
      arbitrary: fc.array(changes, { minLength: 1, maxLength: 2 }).map((set) => ({ set })),
    },
    { weight: 1, arbitrary: fc.constant({ reprice: true as const }) },
  ),
  { minLength: 3, maxLength: 14 },
)

const momentOf = (hour: number) => `2025-01-01T0${hour}:00:00.000Z`

const sendParts = (ask: Ask, sent: readonly Part[]) =>
  ask('mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
    steps: sent.map(({ step, thread, hour, model, input, output, cost }) => ({
      id: `step ${step}`,
      ...(thread === undefined ? {} : { threadId: `thread ${thread}` }),
      ...(hour === undefined ? {} : { startTime: momentOf(hour) }),
      generation: {
        model,
        cost,
        ...(input === undefined && output === undefined ? {} : { usage: { input, output } }),
      },
    })),
  })

const setPrices = (ask: Ask, set: readonly PriceChange[]) =>
  ask('mutation ($prices: [PriceInput!]!) { setPrices(prices: $prices) { id } }', {
    prices: set.map(({ model, fromHour, input, output }) => ({
      model,
      from: momentOf(fromHour),
      rates: { input, output },
    })),
  })

const isRepriced = async (ask: Ask) =>
  (await ask('query { repricing { endedAt } }')).repricing.endedAt !== null

/** Rows as they are stored, by the rule that a later value replaces an earlier one. */
const merged = (sent: readonly Part[]): Part[] => {
  const rows = new Map<number, Part>()
  for (const part of sent) {
    const { input, output, ...rest } = part
    const row = rows.get(part.step) ?? { ...part }
    const given = Object.fromEntries(
      Object.entries(rest).filter(([, value]) => value !== undefined),
    )
    // Usage is one value.
    const usage = input === undefined && output === undefined ? {} : { input, output }
    rows.set(part.step, { ...row, ...given, ...usage })
  }
  return [...rows.values()]
}

/** Dollars per million tokens are millionths of a picodollar short of nothing: a token costs whole picodollars. */
const picodollars = (dollars: number): bigint => BigInt(Math.round(dollars * 1e6))

const costOf = (row: Part, prices: readonly PriceChange[]): bigint | null => {
  if (row.cost !== undefined) return BigInt(Math.round(row.cost * 1e12))
  const price =
    row.hour === undefined
      ? undefined
      : prices
          .filter(({ model, fromHour }) => model === row.model && fromHour <= (row.hour ?? 0))
          .sort((a, b) => b.fromHour - a.fromHour)[0]
  // Without a start the moment is that of the arrival, after all of the prices' moments.
  const latest = prices
    .filter(({ model }) => model === row.model)
    .sort((a, b) => b.fromHour - a.fromHour)[0]
  const found = row.hour === undefined ? latest : price
  if (found === undefined) return null
  const costs = [
    row.input === undefined ? null : picodollars(found.input) * BigInt(row.input),
    row.output === undefined || found.output === undefined
      ? null
      : picodollars(found.output) * BigInt(row.output),
  ].filter((cost) => cost !== null)
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0n)
}

const sumOf = (costs: readonly (bigint | null)[]): number | null => {
  const known = costs.filter((cost) => cost !== null)
  return known.length === 0 ? null : Number(known.reduce((sum, cost) => sum + cost, 0n)) / 1e12
}

const STORED = `query { threads { edges { node { id cost } } }
  generations(first: 100) { edges { node { id cost step { threadId } } } } }`

test('after reprice, costs are as a plain recomputation says, whatever came in which order', async () => {
  await fc.assert(
    fc.asyncProperty(events, async (all) => {
      const ask = await newProject()
      const sent: Part[] = []
      const prices = new Map<string, PriceChange>()
      for (const event of all) {
        if ('sent' in event) {
          await sendParts(ask, event.sent)
          sent.push(...event.sent)
        } else if ('set' in event) {
          await setPrices(ask, event.set)
          for (const price of event.set) prices.set(`${price.model} ${price.fromHour}`, price)
        } else await ask('mutation { reprice { total } }')
      }
      // A batch arrives while all costs are computed anew.
      const last = all.flatMap((event) => ('sent' in event ? event.sent : []))
      await Promise.all([ask('mutation { reprice { total } }'), sendParts(ask, last)])
      sent.push(...last)
      await expect.poll(() => isRepriced(ask)).toBe(true)
      const rows = merged(sent)
      const { threads, generations } = await ask(STORED)
      const costs = new Map(
        generations.edges.map(({ node }: { node: { id: string; cost: number | null } }) => [
          node.id,
          node.cost,
        ]),
      )
      const current = [...prices.values()]
      for (const row of rows)
        expect([row.step, costs.get(`step ${row.step}`)]).toEqual([
          row.step,
          sumOf([costOf(row, current)]),
        ])
      for (const { node } of threads.edges) {
        const inIt = rows.filter(({ thread }) => `thread ${thread}` === node.id)
        expect([node.id, node.cost]).toEqual([
          node.id,
          sumOf(inIt.map((row) => costOf(row, current))),
        ])
      }
    }),
    { numRuns: runs(12) },
  )
})
