import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { experimentItemListing } from '../src/storage/experiments.js'

let service: Service
let api: StepwellClient['api']
let ask: (query: string, variables?: object) => Promise<Record<string, unknown>>
beforeAll(async () => {
  service = await createService()
  const { apiKey } = await service.createProject('measures')
  api = new StepwellClient({ apiKey, fetch: service.fetch }).api
  ask = async (query, variables = {}) => {
    const response = await service.fetch(
      new Request('http://localhost/api/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
        body: JSON.stringify({ query, variables }),
      }),
    )
    return (await response.json()) as Record<string, unknown>
  }
})
afterAll(() => service?.close())

const newDataset = async (...metadata: Record<string, unknown>[]) => {
  const { id } = await api.createDataset({ name: `measures ${Math.random()}` })
  const items = []
  for (const one of metadata)
    items.push(await api.createDatasetItem(id, { input: { n: items.length }, metadata: one }))
  return { id, items: items.map((item) => item.id) }
}

test('a result keeps what it took, and those without an error are summed up', async () => {
  const { id: datasetExperimentId } = await api.createExperiment({ name: 'run' })
  await api.createExperimentItem({ datasetExperimentId, durationMs: 10, tokens: 4, cost: 0.5 })
  await api.createExperimentItem({ datasetExperimentId, durationMs: 30, tokens: 6, cost: 0 })
  await api.createExperimentItem({ datasetExperimentId, durationMs: 1, error: 'down' })
  const { data } = await api.getExperimentItems({ experimentId: datasetExperimentId })
  expect(
    data.map(({ durationMs, tokens, cost, error }) => [durationMs, tokens, cost, error]),
  ).toEqual([
    [10, 4, 0.5, null],
    [30, 6, 0, null],
    [1, null, null, 'down'],
  ])
  const answer = await ask(
    'query($id: String!) { datasetExperiment(id: $id) { errorCount measures { name count mean } } }',
    { id: datasetExperimentId },
  )
  expect(answer.data).toMatchObject({
    datasetExperiment: {
      errorCount: 1,
      measures: [
        { name: 'durationMs', count: 2, mean: 20 },
        { name: 'tokens', count: 2, mean: 5 },
        { name: 'cost', count: 2, mean: 0.25 },
        { name: 'errors', count: 3, mean: 1 / 3 },
      ],
    },
  })
})

test.each(['durationMs', 'tokens', 'cost'])(
  'a result with %s below 0 is rejected by its name',
  async (name) => {
    const { id: datasetExperimentId } = await api.createExperiment({ name: 'run' })
    await expect(api.createExperimentItem({ datasetExperimentId, [name]: -1 })).rejects.toThrow(
      `${name}: expected 0 or more, got -1`,
    )
    const place = { key: 'k', repetition: 1 }
    const run = { datasetExperimentId, holder: 'h' }
    await api.leaseExperimentItems({ ...run, items: [place], seconds: 9 })
    await expect(
      api.createExperimentItems({ ...run, items: [{ ...place, [name]: -1 }] }),
    ).rejects.toThrow(`items[0].${name}: expected 0 or more, got -1`)
  },
)

test('the end of a run is kept until a later one replaces it, and unknown without one', async () => {
  const { id, status } = await api.createExperiment({ name: 'run' })
  expect(status).toBeNull()
  expect(await api.endExperiment({ id, status: 'STOPPED', problem: 'why' })).toMatchObject({
    status: 'STOPPED',
    problem: 'why',
  })
  expect(await api.endExperiment({ id, status: 'COMPLETE' })).toMatchObject({
    status: 'COMPLETE',
    problem: null,
  })
  expect(await api.endExperiment({ id: 'nothing', status: 'COMPLETE' })).toBeNull()
})

test('an item lists its results in all experiments, newest first, page by page', async () => {
  const { id: datasetId, items } = await newDataset({}, {})
  for (const name of ['first', 'second', 'third']) {
    const { id: datasetExperimentId } = await api.createExperiment({ name, datasetId })
    for (const datasetItemId of items)
      await api.createExperimentItem({ datasetExperimentId, datasetItemId })
  }
  const page = async (after: string | null) => {
    const { data } = await ask(
      'query($id: String!, $after: ID) { datasetItem(id: $id) { results(first: 2, after: $after) { pageInfo { hasNextPage endCursor } edges { node { datasetItemId experiment { name } } } } } }',
      { id: items[0], after },
    )
    return (data as { datasetItem: { results: Results } }).datasetItem.results
  }
  interface Results {
    pageInfo: { hasNextPage: boolean; endCursor: string }
    edges: { node: { datasetItemId: string; experiment: { name: string } } }[]
  }
  const first = await page(null)
  const second = await page(first.pageInfo.endCursor)
  const nodes = [...first.edges, ...second.edges].map(({ node }) => node)
  expect(nodes.map(({ experiment }) => experiment.name)).toEqual(['third', 'second', 'first'])
  expect(nodes.every(({ datasetItemId }) => datasetItemId === items[0])).toBe(true)
  expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([true, false])
})

test('results can be asked for some items alone, at most 1,000', async () => {
  const { id: datasetId, items } = await newDataset({}, {}, {})
  const { id } = await api.createExperiment({ name: 'run', datasetId })
  for (const datasetItemId of [...items, items[0]])
    await api.createExperimentItem({ datasetExperimentId: id, datasetItemId })
  const query =
    'query($id: String!, $ids: [String!]) { datasetExperiment(id: $id) { items(datasetItemIds: $ids) { totalCount edges { node { datasetItemId } } } } }'
  const found = async (ids: string[] | null) => {
    const { data } = await ask(query, { id, ids })
    return (
      data as {
        datasetExperiment: {
          items: { totalCount: number; edges: { node: { datasetItemId: string } }[] }
        }
      }
    ).datasetExperiment.items
  }
  const some = await found([items[0] ?? '', items[2] ?? '', 'nothing'])
  expect(some.edges.map(({ node }) => node.datasetItemId)).toEqual([items[0], items[2], items[0]])
  expect(some.totalCount).toBe(3)
  expect((await found(null)).totalCount).toBe(4)
  expect((await found([])).totalCount).toBe(0)
  const { errors } = await ask(query, { id, ids: Array(1001).fill('a') })
  expect(JSON.stringify(errors)).toContain('datasetItemIds: expected at most 1000, got 1001')
})

test('results can be asked for keys, where one without a key goes by its dataset item', async () => {
  const { id: datasetId, items } = await newDataset({}, {})
  const { id } = await api.createExperiment({ name: 'run', datasetId })
  const place = { datasetExperimentId: id, holder: 'h' }
  await api.leaseExperimentItems({ ...place, items: [{ key: 'k', repetition: 1 }], seconds: 60 })
  await api.createExperimentItems({ ...place, items: [{ key: 'k', repetition: 1 }] })
  for (const datasetItemId of items)
    await api.createExperimentItem({ datasetExperimentId: id, datasetItemId })
  const query =
    'query($id: String!, $keys: [String!]) { datasetExperiment(id: $id) { items(keys: $keys) { edges { node { key datasetItemId } } } } }'
  const { data } = await ask(query, { id, keys: ['k', items[1], 'nothing'] })
  expect(data).toEqual({
    datasetExperiment: {
      items: {
        edges: [
          { node: { key: 'k', datasetItemId: null } },
          { node: { key: null, datasetItemId: items[1] } },
        ],
      },
    },
  })
  const { errors } = await ask(query, { id, keys: Array(1001).fill('a') })
  expect(JSON.stringify(errors)).toContain('keys: expected at most 1000, got 1001')
})

test('keys claim no index, as none has them: results of other experiments would be read', async () => {
  const criterionOf = (field: string) =>
    experimentItemListing.fields[field]?.criterion(
      { path: undefined, operator: 'in', value: ['k'] },
      {
        projectId: 'p',
      } as never,
    )
  expect(await criterionOf('keys')).not.toHaveProperty('indexHint')
  expect(await criterionOf('datasetItemIds')).toHaveProperty('indexHint.test')
})

test('outcomes have scores and groups of the results, and no inputs and outputs', async () => {
  const { id: datasetId, items } = await newDataset(
    { group: 'a', threadId: 'b' },
    { threadId: 7 },
    {},
  )
  const { id } = await api.createExperiment({ name: 'run', datasetId })
  for (const [place, datasetItemId] of items.entries())
    await api.createExperimentItem({
      datasetExperimentId: id,
      datasetItemId,
      output: { secret: 1 },
      durationMs: place,
      scores: [{ name: 'q', type: 'AI', value: place, scorer: 'q@1' }],
    })
  const { data } = await ask(
    'query($id: String!) { datasetExperiment(id: $id) { outcomes { rows pageInfo { hasNextPage } } } }',
    { id },
  )
  const { outcomes } = (data as { datasetExperiment: { outcomes: { rows: object[] } } })
    .datasetExperiment
  expect(outcomes).toEqual({
    pageInfo: { hasNextPage: false },
    rows: items.map((datasetItemId, place) => ({
      datasetItemId,
      key: null,
      repetition: null,
      error: null,
      durationMs: place,
      tokens: null,
      cost: null,
      group: ['a', '7', null][place],
      scores: [{ name: 'q', value: place, scorer: 'q@1' }],
    })),
  })
})

test('a result has the cost of its run beside one that its task gave, and says if parts have no price', async () => {
  const { id: datasetExperimentId } = await api.createExperiment({ name: 'costs' })
  const call = (parentId: string, at: number, generation: object) => ({
    id: `${parentId}-${at}`,
    parentId,
    type: 'llm' as const,
    startTime: '2026-01-01T10:00:00Z',
    generation: { inputTokenCount: 1000, outputTokenCount: 100, ...generation },
  })
  const priced = { model: 'gpt-4o', provider: 'openai' }
  const unpriced = { model: 'of-nobody' }
  await api.sendSteps([
    { id: 'run-a', type: 'run' },
    call('run-a', 1, priced),
    call('run-a', 2, priced),
    { id: 'run-b', type: 'run' },
    call('run-b', 1, priced),
    call('run-b', 2, unpriced),
    { id: 'run-c', type: 'run' },
    call('run-c', 1, { cost: 0.25 }),
  ])
  const { id: datasetId, items } = await newDataset({}, {}, {}, {}, {})
  expect(datasetId).not.toBe('')
  for (const [at, one] of [
    { experimentRunId: 'run-a' },
    { experimentRunId: 'run-b' },
    { experimentRunId: 'run-c', cost: 0.5 },
    { experimentRunId: 'never-arrived' },
    {},
  ].entries())
    await api.createExperimentItem({ datasetExperimentId, datasetItemId: items[at], ...one })
  const { data } = await api.getExperimentItems({
    experimentId: datasetExperimentId,
    runCosts: true,
  })
  expect(
    data.map(({ cost, runCost, runUnpricedCount }) => [cost, runCost, runUnpricedCount]),
  ).toEqual([
    [null, 0.007, 0],
    [null, 0.0035, 1],
    [0.5, 0.25, 0],
    [null, null, null],
    [null, null, null],
  ])
  const plain = await api.get_experiment_items({ experiment_id: datasetExperimentId })
  expect(plain.data[0]).not.toHaveProperty('run_cost')
  const snake = await api.get_experiment_items({
    experiment_id: datasetExperimentId,
    run_costs: true,
  })
  expect(snake.data[0]?.run_cost).toBe(0.007)
  // A comparison takes whole costs alone, and those that tasks gave first.
  const outcomes = async (given: string) =>
    (
      (await ask(
        `query($id: String!) { datasetExperiment(id: $id) { outcomes${given} { rows } } }`,
        { id: datasetExperimentId },
      )) as { data: { datasetExperiment: { outcomes: { rows: Record<string, unknown>[] } } } }
    ).data.datasetExperiment.outcomes.rows
  expect((await outcomes('(runCosts: true)')).map(({ cost, runCost }) => [cost, runCost])).toEqual([
    [null, 0.007],
    [null, null],
    [0.5, null],
    [null, null],
    [null, null],
  ])
  const [first] = await outcomes('')
  expect(first).not.toHaveProperty('runCost')
  expect(first).not.toHaveProperty('experimentRunId')
})
