import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ask, asker } from './support/ask.js'

let service: Service
let ask: Ask
let range: string
beforeAll(async () => {
  service = await createService({ apiKey: 'k' })
  ask = asker(service, 'k')
  const now = Date.now()
  const models = ['a', 'a', 'a', 'b', 'c', 'd', 'e', 'f', 'g']
  await ask('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
    steps: models.map((model, index) => ({
      id: `s${index}`,
      threadId: `t${index % 3}`,
      type: 'llm',
      name: 'call',
      environment: index === 0 ? 'dev' : 'prod',
      startTime: new Date(now).toISOString(),
      endTime: new Date(now + (index + 1) * 1000).toISOString(),
      metadata: { release: index < 4 ? '1.0' : '1.1' },
      generation: { model, inputTokenCount: 10, outputTokenCount: index, duration: index + 1 },
      ...(index === 1 ? { error: 'no' } : {}),
      scores: [{ name: 'quality', type: 'AI', value: index / 10 }],
    })),
  })
  const from = new Date(now - 3_600_000).toISOString()
  const to = new Date(now + 3_600_000).toISOString()
  range = `from: "${from}", to: "${to}"`
})
afterAll(() => service?.close())

test('generations are counted, with errors, percentiles and tokens, in total and by bucket', async () => {
  const { metrics } = await ask(
    `{ metrics(subject: generations, ${range}, buckets: 4) { bucketSeconds series { key isRest total { start count errorCount p50 p95 inputTokens outputTokens tokens mean } buckets { start count } } } }`,
  )
  expect(metrics.bucketSeconds).toBe(1800)
  expect(metrics.series).toHaveLength(1)
  const [{ total, buckets }] = metrics.series
  expect(total).toMatchObject({
    start: null,
    count: 9,
    errorCount: 1,
    p50: 5,
    inputTokens: 90,
    outputTokens: 36,
    tokens: 126,
    mean: null,
  })
  expect(total.p95).toBeCloseTo(8.6)
  expect(buckets.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(9)
})

test('the five largest values are series of their own, and the others one together', async () => {
  const { metrics } = await ask(
    `{ metrics(subject: generations, ${range}, by: model) { series { key isRest total { count } } } }`,
  )
  expect(metrics.series.map(({ key }: { key: string | null }) => key)).toEqual([
    'a',
    'b',
    'c',
    'd',
    'e',
    null,
  ])
  expect(metrics.series.at(-1)).toEqual({ key: null, isRest: true, total: { count: 2 } })
})

test('releases and environments split and narrow', async () => {
  const { releases, dev } = await ask(
    `{ releases: metrics(subject: steps, ${range}, by: release) { series { key total { count } } }
      dev: metrics(subject: steps, ${range}, environment: "dev") { series { total { count } } } }`,
  )
  expect(releases.series).toEqual([
    { key: '1.1', total: { count: 5 } },
    { key: '1.0', total: { count: 4 } },
  ])
  expect(dev.series).toEqual([{ total: { count: 1 } }])
})

test('scores have a mean and a deviation, grouped by properties of their steps', async () => {
  const { all, models, dev } = await ask(
    `{ all: metrics(subject: scores, ${range}, name: "quality") { series { total { count mean deviation errorCount } } }
      models: metrics(subject: scores, ${range}, by: model) { series { key total { count } } }
      dev: metrics(subject: scores, ${range}, environment: "dev") { series { total { count mean } } } }`,
  )
  expect(all.series[0].total).toMatchObject({ count: 9, errorCount: 0 })
  expect(all.series[0].total.mean).toBeCloseTo(0.4)
  expect(all.series[0].total.deviation).toBeCloseTo(0.27386)
  expect(models.series[0]).toEqual({ key: 'a', total: { count: 3 } })
  expect(dev.series).toEqual([{ total: { count: 1, mean: 0 } }])
})

test('threads fail when one of their steps does', async () => {
  const { metrics } = await ask(
    `{ metrics(subject: threads, ${range}) { series { total { count errorCount } } } }`,
  )
  expect(metrics.series).toEqual([{ total: { count: 3, errorCount: 1 } }])
})

test('an empty range has no series, and an invalid argument is named', async () => {
  const empty = 'from: "2020-01-01T00:00:00Z", to: "2020-01-02T00:00:00Z"'
  expect(
    (await ask(`{ metrics(subject: steps, ${empty}) { series { key } } }`)).metrics.series,
  ).toEqual([])
  await expect(
    ask(`{ metrics(subject: threads, ${range}, by: model) { series { key } } }`),
  ).rejects.toThrow('by: threads can be split by')
  await expect(
    ask(`{ metrics(subject: steps, ${range}, buckets: 501) { series { key } } }`),
  ).rejects.toThrow('buckets')
  await expect(
    ask(
      '{ metrics(subject: steps, from: "2020-01-02T00:00:00Z", to: "2020-01-01T00:00:00Z") { series { key } } }',
    ),
  ).rejects.toThrow('ends after it begins')
})

test('more rows than a search may read are rejected', async () => {
  const small = await createService({ apiKey: 'k', limits: { searchRows: 5 } })
  const asked = asker(small, 'k')
  await asked('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
    steps: Array.from({ length: 6 }, (_, index) => ({ id: `${index}` })),
  })
  await expect(asked(`{ metrics(subject: steps, ${range}) { series { key } } }`)).rejects.toThrow(
    'more than 5 rows',
  )
  await small.close()
})

test('facets are the existing values, most frequent first', async () => {
  const { models, begun, scores } = await ask(
    '{ models: facets(field: model, first: 2) { value count } begun: facets(field: name, prefix: "CA") { value } scores: facets(field: score) { value count } }',
  )
  expect(models).toEqual([
    { value: 'a', count: 3 },
    { value: 'b', count: 1 },
  ])
  expect(begun).toEqual([{ value: 'call' }])
  expect(scores).toEqual([{ value: 'quality', count: 9 }])
})

test('the steps and scores of one user are measured apart, and other users have none of them', async () => {
  const {
    ada: { id },
  } = await ask(`mutation { ada: createParticipant(identifier: "ada") { id } }`)
  await ask(`mutation($id: String!) { upsertThread(id: "t1", participantId: $id) { id } }`, { id })
  const counted = `series { total { count } }`
  const measured = await ask(
    `query($id: String!) {
      threads: metrics(subject: threads, ${range}, participantId: $id) { ${counted} }
      steps: metrics(subject: steps, ${range}, participantId: $id) { ${counted} }
      scores: metrics(subject: scores, ${range}, participantId: $id, name: "quality") { ${counted} }
      nobody: metrics(subject: steps, ${range}, participantId: "nobody") { ${counted} } }`,
    { id },
  )
  expect(measured).toEqual({
    threads: { series: [{ total: { count: 1 } }] },
    steps: { series: [{ total: { count: 3 } }] },
    scores: { series: [{ total: { count: 3 } }] },
    nobody: { series: [] },
  })
})

test('tokens are null, and not zero, where no step told any', async () => {
  await ask(
    'mutation { ingestSteps(steps: [{ id: "plain", threadId: "plain", type: tool, environment: "staging" }]) { ok } }',
  )
  const { threadDetail, threads, metrics } = await ask(
    `{ threadDetail(id: "plain") { tokenCount }
      threads(filters: [{ field: "tokenCount", operator: "is", value: null }]) { edges { node { id } } }
      metrics(subject: steps, ${range}, environment: "staging") { series { total { count inputTokens outputTokens tokens } } } }`,
  )
  expect(threadDetail.tokenCount).toBeNull()
  expect(threads.edges).toEqual([{ node: { id: 'plain' } }])
  expect(metrics.series).toEqual([
    { total: { count: 1, inputTokens: null, outputTokens: null, tokens: null } },
  ])
})
