import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { type EvaluateOptions, evaluate } from '../src/evaluate/index.js'
import { useService } from './support/service.js'

const world = useService()
const run = async (options: Partial<EvaluateOptions>) =>
  evaluate({
    name: 'limits',
    client: await world.newClient(),
    release: 'r1',
    progress: false,
    data: [{ key: 'one', input: 1 }],
    task: ({ input }) => input,
    scorers: [],
    ...options,
  })
const never = () => new Promise<never>(() => {})
const refusal = (more: object) => Object.assign(new Error('refused'), { status: 429, ...more })

test('an item that a provider asks to wait for longer than its seconds fails at once, with the refusal', async () => {
  const { results } = await run({
    limits: { seconds: 30 },
    task: () => {
      throw refusal({ headers: { 'retry-after': '999999999' } })
    },
  })
  expect(results[0]?.error).toBe('refused for too many requests, beyond 30 seconds: refused')
})

test('refusals are repeated for the seconds of an item, and no longer', async () => {
  let calls = 0
  const { results } = await run({
    limits: { seconds: 0.3 },
    task: () => {
      calls++
      throw refusal({ headers: { 'retry-after': '0' } })
    },
  })
  expect(results[0]?.error).toMatch(/^refused for too many requests, beyond 0.3 seconds/)
  expect(calls).toBeGreaterThan(2)
  expect(calls).toBeLessThan(40)
})

test.each([
  { code: 'insufficient_quota' },
  { error: { type: 'insufficient_quota' } },
  { cause: { code: 'insufficient_quota' } },
])('a quota that is used up is not asked again: %j', async (more) => {
  let calls = 0
  await run({
    task: () => {
      calls++
      throw refusal(more)
    },
  })
  expect(calls).toBe(1)
})

test('a scorer that never ends fails the item by its name, and keeps the other scores', async () => {
  const { results, status } = await run({
    limits: { seconds: 0.2 },
    scorers: [
      function hangs() {
        return never()
      },
      function fine() {
        return 1
      },
    ],
  })
  expect(status).toBe('broken')
  expect(results[0]).toMatchObject({
    error: 'hangs: it took more than 0.2 seconds',
    scores: [{ name: 'fine', value: 1 }],
  })
})

test.each<[string, Partial<EvaluateOptions>]>([
  ['a task', { task: never }],
  [
    'a scorer',
    {
      scorers: [
        async function hangs() {
          return never()
        },
      ],
    },
  ],
])('the seconds of the budget end a run though %s never ends', async (_, options) => {
  expect(await run({ ...options, budget: { seconds: 0.3 } })).toMatchObject({
    status: 'over budget',
    problem: '0 of 1 results, as the budget of 0.3 seconds is used',
    exitCode: 2,
  })
})

test.each([Number.POSITIVE_INFINITY, 2 ** 31])('%d seconds are no limit', async (seconds) => {
  const task: EvaluateOptions['task'] = async ({ input }) => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return input
  }
  const limited = await run({ limits: { seconds }, budget: { seconds }, task })
  expect(limited).toMatchObject({ status: 'complete', errors: 0 })
})

test('a limit in dollars needs prices, and a call of a model without one fails the item by its name', async () => {
  await expect(run({ limits: { dollars: 1 } })).rejects.toThrow(/^prices: expected/)
  await expect(run({ budget: { dollars: 1 }, prices: {} })).rejects.toThrow(/^prices: expected/)
  const { results } = await run({
    budget: { dollars: 1 },
    prices: { cheap: { input: 1, output: 1 } },
    task: (_, { stepwell }) => {
      const generation = { type: 'CHAT' as const, provider: 'p', model: 'dear' }
      stepwell.step({ type: 'llm', generation }).end()
      return 'done'
    },
  })
  expect(results[0]?.error).toBe(
    'prices has none of the model dear, and there is a limit in dollars',
  )
})

test('an item fails with the message of an error of another realm, as those of Node are under Jest', async () => {
  const { results } = await run({
    task: () => {
      throw runInNewContext("new TypeError('fetch failed')")
    },
  })
  expect(results[0]?.error).toBe('fetch failed')
})
