import { expect, test } from 'vitest'
import {
  type EvaluateOptions,
  evaluate,
  formatTable,
  rescore,
  scorer,
} from '../src/evaluate/index.js'
import { StepwellClient } from '../src/index.js'
import { useService } from './support/service.js'

const world = useService()
const run = async (options: Partial<EvaluateOptions>) =>
  evaluate({
    name: 'values',
    client: await world.newClient(),
    release: 'r1',
    progress: false,
    data: [{ key: 'one', input: 1 }],
    task: ({ input }) => input,
    scorers: [],
    ...options,
  })
const fail = () => {
  throw new Error('a trap')
}
const trapped = new Proxy({}, { get: fail, getPrototypeOf: fail, has: fail, ownKeys: fail })

test('a task that throws a proxy whose traps throw fails its item, and no other', async () => {
  const { results } = await run({
    data: [
      { key: 'one', input: 1 },
      { key: 'two', input: 2 },
    ],
    task: ({ input }) => {
      if (input === 1) throw trapped
      return input
    },
  })
  expect(results.map(({ key, error }) => [key, error])).toEqual([
    ['one', 'an unreadable error'],
    ['two', null],
  ])
})

test('a task that returns a proxy whose traps throw fails its item, and no other', async () => {
  const { results } = await run({
    data: [
      { key: 'one', input: 1 },
      { key: 'two', input: 2 },
    ],
    task: ({ input }) => (input === 1 ? new Proxy({}, { ownKeys: fail }) : input),
  })
  expect(results.map(({ key, error }) => [key, error])).toEqual([
    ['one', expect.stringContaining("can't be written as JSON")],
    ['two', null],
  ])
})

test('parameters that JSON has not are named', async () => {
  await expect(run({ params: { seed: 1n } })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringMatching(/^params: /),
  })
})

test('a cluster that throws is named with the item', async () => {
  await expect(run({ cluster: fail })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: 'cluster: failed for the item one',
  })
})

const circular: Record<string, unknown> = {}
circular.self = circular
test.each([[{ n: 1n }], [circular]])(
  'an input that JSON has not is named by its key',
  async (input) => {
    await expect(run({ data: [{ key: 'odd', input }] })).rejects.toThrow(/in the item odd$/)
    await expect(run({ data: [{ input }] })).rejects.toThrow(/in data\[0\]$/)
  },
)

test('a score that its definition or the service refuses is no score of the run, and breaks it', async () => {
  const client = await world.newClient()
  await client.api.setScoreDefinition({
    name: 'share',
    kind: 'NUMBER',
    min: 0,
    max: 1,
    isEnforced: true,
  })
  const seen: (string | null)[] = []
  const options: Partial<EvaluateOptions> = {
    client,
    scorers: [
      function share() {
        return 7
      },
      function long() {
        return { value: 1, reason: 'r'.repeat(2_000_000) }
      },
    ],
    decide: { metric: 'share' },
    onResult: ({ error }) => seen.push(error),
  }
  const refused = await run({ ...options, scorers: options.scorers?.slice(0, 1) ?? [] })
  expect(refused).toMatchObject({ status: 'broken', exitCode: 3, errors: 1, scores: [] })
  expect(seen).toEqual([expect.stringMatching(/^share: value: expected a number from 0 to 1/)])
  const large = await run({ ...options, name: 'large' })
  expect(large).toMatchObject({ status: 'broken', exitCode: 3, scores: [] })
  // Another process that shares the run sees the same.
  const shared = await run({ ...options, name: 'large' })
  expect(shared.results).toEqual(large.results)
})

test('scores with the names of what every object has are compared, decide, and are in the table', async () => {
  const client = await world.newClient()
  for (const metric of ['constructor', '__proto__']) {
    const options = (release: string, version = '1'): Partial<EvaluateOptions> => ({
      name: metric,
      client,
      release,
      data: Array.from({ length: 8 }, (_, input) => ({ key: `${input}`, input })),
      scorers: [scorer({ name: metric, version, score: () => 1 })],
      decide: { metric, margin: 0.1, range: { low: 0, high: 1 } },
    })
    await run(options('1'))
    const { decision } = await run(options('2'))
    expect(decision).toMatchObject({ verdict: 'cannot tell', metric })
    const changed = await run(options('3', '2'))
    expect(formatTable(changed)).toContain(`${metric} is not compared: its scorer changed`)
  }
})

test('twenty scorers of an item are no leak of listeners', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  const scorers = Array.from({ length: 20 }, (_, index) =>
    scorer({ name: `s${index}`, score: async () => index }),
  )
  const { scores } = await run({ scorers })
  // Warnings are told at the next turn of the loop.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  expect(scores).toHaveLength(20)
  expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([])
})

test('the web UI gets the groups of a cluster, and an item without one is its own', async () => {
  const { apiKey } = await world.service.createProject('groups')
  const client = new StepwellClient({ apiKey, fetch: world.service.fetch })
  const { id } = await client.api.createDataset({ name: 'grouped' })
  for (const template of ['a', 'a', 'b', undefined])
    await client.api.createDatasetItem(id, {
      input: { template },
      metadata: { group: 'all', ...(template === undefined ? {} : { template }) },
    })
  const groups = async (options: Partial<EvaluateOptions>) => {
    const { experimentId } = await run({ client, data: { id }, ...options })
    const query = 'query($id: String!) { datasetExperiment(id: $id) { outcomes { rows } } }'
    const response = await world.service.fetch(
      new Request('http://test/api/graphql', {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables: { id: experimentId } }),
      }),
    )
    const { data } = (await response.json()) as {
      data: { datasetExperiment: { outcomes: { rows: { group: string; key: string }[] } } }
    }
    const { rows } = data.datasetExperiment.outcomes
    return rows.map(({ group, key }) => group.replace(key, 'own')).sort()
  }
  expect(await groups({ name: 'default' })).toEqual(['all', 'all', 'all', 'all'])
  expect(await groups({ name: 'by name', cluster: 'template' })).toEqual([
    'a',
    'a',
    'b',
    'item own',
  ])
  const cluster = ({ metadata }: { metadata: Record<string, unknown> }) =>
    metadata.template === 'b' ? 'only b' : undefined
  expect(await groups({ name: 'by function', cluster })).toEqual([
    'item own',
    'item own',
    'item own',
    'only b',
  ])
})

test('a dataset that is deleted while a run goes on takes no output from it', async () => {
  const client = await world.newClient()
  const { id } = await client.api.createDataset({ name: 'gone' })
  for (const number of [1, 2, 3]) await client.api.createDatasetItem(id, { input: { number } })
  const { status, results, experimentId } = await run({
    client,
    data: { id },
    concurrency: 1,
    task: async ({ input }, { repetition }) => {
      const { number } = input as { number: number }
      if (number === 2 && repetition === 1) await client.api.deleteDataset(id)
      return { number }
    },
    scorers: [scorer({ name: 'ok', score: () => 1 })],
  })
  expect(status).toBe('complete')
  expect(results.map(({ error, scores }) => [error, scores.length])).toEqual([
    [null, 1],
    [null, 1],
    [null, 1],
  ])
  const { data } = await client.api.getExperimentItems({ experimentId })
  expect(data.map(({ output, error }) => [output, error])).toEqual([
    [{ number: 1 }, null],
    [{ number: 2 }, null],
    [{ number: 3 }, null],
  ])
})

test('what a list expects is kept with its results, and scorers of a later day have it', async () => {
  const client = await world.newClient()
  const first = await run({
    client,
    data: [
      { key: 'a', input: 1, expected: 'one' },
      { key: 'b', input: 2, expected: { content: 2 } },
      { key: 'c', input: 3 },
    ],
  })
  const { data } = await client.api.getExperimentItems({ experimentId: first.experimentId })
  const kept = new Map(data.map(({ key, expectedOutput }) => [key, expectedOutput]))
  expect(Object.fromEntries(kept)).toEqual({
    a: { content: 'one' },
    b: { content: { content: 2 } },
    c: null,
  })
  const seen = new Map<string, unknown>()
  const look = scorer({
    name: 'look',
    version: '1',
    score: ({ input, expected }) => {
      seen.set(String(input), expected)
      return 1
    },
  })
  await rescore({
    experiment: first.experimentId,
    scorers: [look],
    client,
    progress: false,
  })
  expect(Object.fromEntries(seen)).toEqual({ 1: 'one', 2: { content: 2 }, 3: undefined })
})
