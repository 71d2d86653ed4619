import { expect, test } from 'vitest'
import type { Ask } from './support/ask.js'
import { useService } from './support/new-service.js'

const newProject = useService()

const INGEST = 'mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message } }'
const ingest = async (ask: Ask, ...steps: object[]) => {
  const { ingestSteps } = await ask(INGEST, { steps })
  expect(ingestSteps).toEqual({ ok: true, message: null })
}

const MAY_2025 = '2025-05-30T10:00:00.000Z'
/** A million tokens in and 100,000 out: 2.5 + 1 dollars. */
const call = (id: string, more: object = {}, generation: object = {}) => ({
  id,
  threadId: `thread of ${id}`,
  type: 'llm',
  startTime: MAY_2025,
  ...more,
  generation: {
    provider: 'openai',
    model: 'gpt-4o',
    usage: { input: 1_000_000, output: 100_000 },
    ...generation,
  },
})

const COSTS = `query ($id: Json) { generations(filters: [{ field: "id", operator: "eq", value: $id }]) { edges { node {
  cost costSource isCostPartial costDetails { cost isOutdated source serviceTier parts { part tokens price cost }
    unpriced { part tokens reason } price { provider models from until source asOf id } } } } } }`
const costOf = async (ask: Ask, id: string) => (await ask(COSTS, { id })).generations.edges[0].node

const THREAD = 'query ($id: String!) { threadDetail(id: $id) { cost unpricedCount } }'
const threadOf = async (ask: Ask, id: string) =>
  (await ask(THREAD, { id: `thread of ${id}` })).threadDetail

test('a call has the cost of the book, part by part', async () => {
  const ask = await newProject()
  await ingest(ask, call('a'))
  expect(await costOf(ask, 'a')).toEqual({
    cost: 3.5,
    costSource: 'BOOK',
    isCostPartial: false,
    costDetails: {
      cost: 3.5,
      isOutdated: false,
      source: 'BOOK',
      serviceTier: null,
      parts: [
        { part: 'input', tokens: 1_000_000, price: 2.5, cost: 2.5 },
        { part: 'output', tokens: 100_000, price: 10, cost: 1 },
      ],
      unpriced: [],
      price: {
        provider: 'openai',
        models: ['gpt-4o'],
        from: '2024-10-02T00:00:00.000Z',
        until: null,
        source: 'https://openai.com/api/pricing/',
        asOf: '2025-11-30',
        id: null,
      },
    },
  })
  expect(await threadOf(ask, 'a')).toEqual({ cost: 3.5, unpricedCount: 0 })
})

test('parts without a price are shown and not in the cost', async () => {
  const ask = await newProject()
  await ingest(
    ask,
    call('a', {}, { usage: { input: 1_000_000, audioInput: 5, output: 0, total: 1_000_010 } }),
    call('b', {}, { model: 'gpt-4o-of-ours' }),
  )
  expect(await costOf(ask, 'a')).toMatchObject({
    cost: 2.5,
    isCostPartial: true,
    costDetails: {
      unpriced: [
        { part: 'audioInput', tokens: 5, reason: 'NO_PRICE' },
        { part: 'unexplained', tokens: 5, reason: 'NO_PRICE' },
      ],
    },
  })
  expect(await costOf(ask, 'b')).toMatchObject({
    cost: null,
    costSource: null,
    isCostPartial: true,
    costDetails: { price: null, unpriced: [{ reason: 'NO_MODEL' }, { reason: 'NO_MODEL' }] },
  })
  expect(await threadOf(ask, 'a')).toEqual({ cost: 2.5, unpricedCount: 1 })
  expect(await threadOf(ask, 'b')).toEqual({ cost: null, unpricedCount: 1 })
})

test('a cost that the client sends comes before all prices, and one that was read is no such cost', async () => {
  const ask = await newProject()
  await ingest(
    ask,
    call('a', {}, { cost: 0.1 }),
    call('b', {}, { cost: 0.1, costSource: 'BOOK', isCostPartial: true }),
  )
  expect(await costOf(ask, 'a')).toMatchObject({
    cost: 0.1,
    costSource: 'CLIENT',
    isCostPartial: false,
    costDetails: { price: null, parts: [], unpriced: [] },
  })
  expect(await costOf(ask, 'b')).toMatchObject({ cost: 3.5, costSource: 'BOOK' })
  const { ingestSteps } = await ask(INGEST, { steps: [call('c', {}, { cost: -1 })] })
  expect(ingestSteps.message).toContain('generation.cost: expected dollars from 0 to 9007, got -1')
})

test('a call in several parts has the cost of what they make together', async () => {
  const ask = await newProject()
  const { generation, ...rest } = call('a')
  const { usage, ...named } = generation as Record<string, unknown>
  await ingest(ask, { ...rest, generation: named })
  await ingest(ask, { id: 'a', generation: { usage } })
  expect(await costOf(ask, 'a')).toMatchObject({ cost: 3.5, isCostPartial: false })
  expect(await threadOf(ask, 'a')).toEqual({ cost: 3.5, unpricedCount: 0 })
  // Before its price changed.
  await ingest(ask, { id: 'a', startTime: '2024-06-01T00:00:00.000Z' })
  expect(await threadOf(ask, 'a')).toEqual({ cost: 6.5, unpricedCount: 0 })
  await ask('mutation { updateStep(id: "a", startTime: "2025-06-01T00:00:00.000Z") { id } }')
  expect(await threadOf(ask, 'a')).toEqual({ cost: 3.5, unpricedCount: 0 })
})

const SET = 'mutation ($prices: [PriceInput!]!) { setPrices(prices: $prices) { id models from } }'
const REPRICING = 'query { repricing { total done endedAt } }'
const reprice = async (ask: Ask) => {
  await ask('mutation { reprice { total } }')
  await expect.poll(async () => (await ask(REPRICING)).repricing.endedAt).not.toBe(null)
  return (await ask(REPRICING)).repricing
}

test('a price of the project holds for new calls at once, and for stored ones after reprice', async () => {
  const ask = await newProject()
  await ingest(ask, call('a'), call('late', { startTime: '2025-07-01T00:00:00.000Z' }))
  await ask(SET, {
    prices: [
      { model: 'GPT-4o', until: '2025-06-01T00:00:00.000Z', rates: { input: 1, output: 2 } },
    ],
  })
  await ingest(ask, call('b'))
  expect(await costOf(ask, 'b')).toMatchObject({ cost: 1.2, costSource: 'PROJECT' })
  expect(await costOf(ask, 'a')).toMatchObject({
    cost: 3.5,
    costSource: 'BOOK',
    costDetails: { cost: 1.2, isOutdated: true },
  })
  expect(await reprice(ask)).toMatchObject({ total: 3, done: 3 })
  expect(await costOf(ask, 'a')).toMatchObject({ cost: 1.2, costDetails: { isOutdated: false } })
  expect(await costOf(ask, 'late')).toMatchObject({ cost: 3.5 })
  expect(await threadOf(ask, 'a')).toEqual({ cost: 1.2, unpricedCount: 0 })
})

test('lists filter and order by cost, and metrics sum it up', async () => {
  const ask = await newProject()
  await ingest(
    ask,
    call('a', {}, { cost: 1 }),
    call('b', {}, { cost: 3 }),
    call('c', {}, { cost: 2 }),
    call('d', {}, { model: 'unknown' }),
  )
  const LISTS = `query { generations(orderBy: { column: "cost", direction: DESC }, filters: [{ field: "cost", operator: "gte", value: 2 }]) {
      edges { node { id } } }
    threads(orderBy: { column: "cost", direction: ASC }) { edges { node { id } } } }`
  const { generations, threads } = await ask(LISTS)
  expect(generations.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual(['b', 'c'])
  expect(threads.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual(
    ['d', 'a', 'c', 'b'].map((id) => `thread of ${id}`),
  )
  const { metrics } = await ask(
    `query ($from: DateTime!, $to: DateTime!) { metrics(subject: generations, from: $from, to: $to, by: model) {
      series { key total { cost unpricedCount } } } }`,
    {
      from: '2025-05-30T09:00:00.000Z',
      to: '2025-05-30T11:00:00.000Z',
    },
  )
  expect(metrics.series).toEqual([
    { key: 'gpt-4o', total: { cost: 6, unpricedCount: 0 } },
    { key: 'unknown', total: { cost: null, unpricedCount: 1 } },
  ])
})

test('a step costs what it and all below it cost, each call once', async () => {
  const ask = await newProject()
  const threadId = 'tree'
  await ingest(
    ask,
    { id: 'root', type: 'run', threadId },
    { id: 'agent', type: 'tool', threadId, parentId: 'root' },
    call('one', { threadId, parentId: 'agent' }),
    call('two', { threadId, parentId: 'root' }),
  )
  const { root, agent, one } = await ask(
    'query { root: step(id: "root") { cost } agent: step(id: "agent") { cost } one: step(id: "one") { cost } }',
  )
  expect([root.cost, agent.cost, one.cost]).toEqual([7, 3.5, 3.5])
})

test('a page of steps in one another has the cost of each with all below it', async () => {
  const ask = await newProject()
  const depth = 200
  const steps = Array.from({ length: depth }, (_, level) => ({
    ...(level === depth - 1 ? call('', {}) : { type: 'run' }),
    id: `level ${level}`,
    threadId: 'deep',
    ...(level === 0 ? {} : { parentId: `level ${level - 1}` }),
  }))
  await ingest(ask, ...steps)
  const { edges } = (await ask('{ steps(first: 200) { edges { node { cost } } } }')).steps
  expect(new Set(edges.map(({ node }: { node: { cost: number } }) => node.cost))).toEqual(
    new Set([3.5]),
  )
})

test('steps in a circle cost the same, each call once', async () => {
  const ask = await newProject()
  await ingest(
    ask,
    call('a', { threadId: 'circle', parentId: 'b' }),
    call('b', { threadId: 'circle', parentId: 'a' }),
    call('c', { threadId: 'circle', parentId: 'a' }),
  )
  const { a, b, c } = await ask(
    'query { a: step(id: "a") { cost } b: step(id: "b") { cost } c: step(id: "c") { cost } }',
  )
  expect([a.cost, b.cost, c.cost]).toEqual([10.5, 10.5, 3.5])
})
