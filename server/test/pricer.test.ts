import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { ProjectPrices } from '../src/domain/prices/project-prices.js'
import type { Caller } from '../src/kernel/caller.js'
import { beginRevision } from '../src/storage/prices/prices.js'
import { useDomain } from './support/new-domain.js'

let statements = 0
const counting: KyselyPlugin = {
  transformQuery: ({ node }) => {
    statements++
    return node
  },
  transformResult: async ({ result }) => result,
}

const made = useDomain(counting)

const callerOf = (projectId: string) =>
  ({ projectId, environment: 'prod', scopes: ['admin'] }) as unknown as Caller

test('projects with prices of their own cost no statements while nothing is to be priced', async () => {
  const { domain } = made
  const idle = async () => {
    statements = 0
    await domain.pricer.work()
    return statements
  }
  const before = await idle()
  for (let project = 0; project < 20; project++)
    await domain.prices.set(callerOf(`idle ${project}`), [{ model: 'x', rates: { input: 1 } }])
  expect(await idle()).toBe(before)
})

test('prices that change while they are read are not kept as they were', async () => {
  const { db } = made
  const prices = new ProjectPrices()
  await beginRevision(db, 'p')
  const reading = prices.of(db, 'p')
  const changed = await beginRevision(db, 'p')
  prices.forget('p')
  await reading
  expect(await prices.of(db, 'p')).toMatchObject({ revision: changed.revision })
})

test('generations that are asked for by their cost, in either form, have it by then', async () => {
  const { domain } = made
  const usage = { input: 1_000_000, output: 0 }
  const asks = {
    text: { query: 'cost>1' },
    filters: { filters: [{ field: 'cost', operator: 'gt', value: 1 }] },
  }
  for (const [form, request] of Object.entries(asks)) {
    const caller = callerOf(`asked by ${form}`)
    // In two parts, so that the cost is computed later.
    for (const generation of [{ provider: 'openai', model: 'gpt-4o' }, { usage }])
      await domain.steps.ingest(caller, [{ id: 'a', type: 'llm', generation }])
    const { rows } = await domain.steps.listGenerations(caller, request as never)
    expect([form, rows.map(({ id }) => id)]).toEqual([form, ['a']])
  }
})

test('a repricing that begins during another one ends with all of its calls done', async () => {
  const { domain } = made
  const caller = callerOf('twice')
  const generation = {
    provider: 'openai',
    model: 'gpt-4o',
    inputTokenCount: 1_000_000,
    outputTokenCount: 0,
  }
  for (let from = 0; from < 2500; from += 500)
    await domain.steps.ingest(
      caller,
      Array.from({ length: 500 }, (_, index) => ({
        id: `call ${String(from + index).padStart(4, '0')}`,
        type: 'llm' as const,
        generation: generation as never,
      })),
    )
  await domain.pricer.work()
  await domain.prices.set(caller, [{ model: 'gpt-4o', rates: { input: 1 } }])
  await domain.prices.reprice(caller)
  const working = domain.pricer.work()
  await expect
    .poll(async () => (await domain.prices.repricing(caller))?.done, {
      interval: 1,
    })
    .toBeGreaterThan(0)
  await domain.prices.set(caller, [{ model: 'gpt-4o', rates: { input: 2 } }])
  const { total } = await domain.prices.reprice(caller)
  await working
  await domain.pricer.work()
  expect(total).toBe(2500)
  expect(await domain.prices.repricing(caller)).toMatchObject({
    total,
    done: total,
    endedAt: expect.any(String),
  })
})
