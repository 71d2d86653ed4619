import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../../test/support/runs.js'
import { type Ask, asker } from './support/ask.js'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const RANGE = `from: "${new Date(NOW - 3_600_000).toISOString()}", to: "${new Date(NOW + 3_600_000).toISOString()}"`
// Scores count by their creation, which is now.
const WIDE = `from: "${new Date(NOW - 3_600_000).toISOString()}", to: "2100-01-01T00:00:00Z"`

let service: Service
let ask: Ask
let other: Ask
beforeAll(async () => {
  service = await createService()
  ask = asker(service, (await service.createProject('measured')).apiKey)
  other = asker(service, (await service.createProject('other')).apiKey)
  await ask('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
    steps: Array.from({ length: 24 }, (_, index) => ({
      id: `s${index}`,
      threadId: `t${index % 6}`,
      type: index % 3 === 0 ? 'run' : 'llm',
      name: index % 2 === 0 ? 'even' : 'odd',
      environment: ['prod', 'staging', 'experiment'][index % 3],
      startTime: new Date(NOW + index * 1000).toISOString(),
      endTime: new Date(NOW + index * 1500).toISOString(),
      tags: [`tag${index % 4}`],
      ...(index % 3 === 0
        ? {}
        : { generation: { model: `m${index % 2}`, inputTokenCount: index } }),
      ...(index % 5 === 0 ? { error: 'no' } : {}),
      scores: [{ name: 'quality', type: 'AI', value: index / 100 }],
    })),
  })
  await ask(`mutation { dataset: createDataset(name: "cases") { id } }`)
})
afterAll(() => service?.close())

const counted = async (
  subject: string,
  more: string,
  variables: Record<string, unknown> = {},
  by = ask,
): Promise<number> => {
  const range = subject === 'scores' ? WIDE : RANGE
  const { metrics } = await by(
    `query($query: String) { metrics(subject: ${subject}, ${range}, query: $query ${more}) { series { total { count } } } }`,
    variables,
  )
  return metrics.series[0]?.total.count ?? 0
}

const QUERIES = [
  '',
  'error:any',
  'name=even',
  'env!=experiment',
  'tags:tag1,tag2',
  'score[quality]>0.1',
  'score[quality]:none',
  'name=even OR error:any',
  'NOT (name=even score[quality]<0.05)',
  'start>2026-03-01T12:00:07Z',
]

test('steps of a query are as many as the list finds, and runs those of them that are runs', async () => {
  for (const query of QUERIES) {
    const { steps, runs } = await ask(
      `query($query: String, $runs: String) {
        steps(first: 100, query: $query) { totalCount }
        runs: steps(first: 100, query: $runs) { totalCount } }`,
      { query, runs: query === '' ? 'type=run' : `(${query}) type=run` },
    )
    expect({ query, count: await counted('steps', '', { query }) }).toEqual({
      query,
      count: steps.totalCount,
    })
    expect({ query, count: await counted('runs', '', { query }) }).toEqual({
      query,
      count: runs.totalCount,
    })
  }
})

test('threads and generations take the queries of their own lists', async () => {
  for (const query of ['error:any', 'any(name=even)', 'score[quality]>0.2', 'steps>3']) {
    const { threads } = await ask(
      'query($query: String) { threads(first: 100, query: $query) { totalCount } }',
      { query },
    )
    expect(await counted('threads', '', { query })).toBe(threads.totalCount)
  }
  for (const query of ['model=m1', 'tokens>10', 'prompt:none']) {
    const { generations } = await ask(
      'query($query: String) { generations(first: 100, query: $query) { totalCount } }',
      { query },
    )
    expect(await counted('generations', '', { query })).toBe(generations.totalCount)
  }
})

test('scores take the query of their list, with and without a split', async () => {
  expect(await counted('scores', '', { query: 'value<0.05' })).toBe(5)
  const { metrics } = await ask(
    `query { metrics(subject: scores, ${WIDE}, query: "value<0.05", by: model) { series { key total { count } } } }`,
  )
  expect(
    metrics.series.reduce(
      (sum: number, { total }: { total: { count: number } }) => sum + total.count,
      0,
    ),
  ).toBe(5)
})

test('what a split adds up to is what a query of each value finds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...QUERIES),
      fc.constantFrom('name', 'environment', 'type', 'release'),
      fc.integer({ min: 1, max: 60 }),
      async (query, by, buckets) => {
        const { whole, parts } = await ask(
          `query($query: String) {
            whole: metrics(subject: steps, ${RANGE}, query: $query) { series { total { count errorCount } } }
            parts: metrics(subject: steps, ${RANGE}, query: $query, by: ${by}, buckets: ${buckets}) {
              series { total { count errorCount } buckets { count } } } }`,
          { query },
        )
        const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)
        const series = parts.series as {
          total: { count: number; errorCount: number }
          buckets: { count: number }[]
        }[]
        expect(sum(series.map(({ total }) => total.count))).toBe(whole.series[0]?.total.count ?? 0)
        expect(sum(series.map(({ total }) => total.errorCount))).toBe(
          whole.series[0]?.total.errorCount ?? 0,
        )
        for (const one of series)
          expect(sum(one.buckets.map(({ count }) => count))).toBe(one.total.count)
      },
    ),
    { numRuns: runs(25) },
  )
})

test('experiments are left out on request, with their scores, and only then', async () => {
  for (const subject of ['steps', 'generations', 'scores']) {
    const all = await counted(subject, '')
    const without = await counted(subject, ', excludeExperiments: true')
    expect({ subject, left: all - without }).toEqual({ subject, left: 8 })
    expect(await counted(subject, ', excludeExperiments: false')).toBe(all)
  }
  const { id } = (await ask('{ dataset(name: "cases") { id } }')).dataset
  const { createDatasetExperiment } = await ask(
    'mutation($id: String!) { createDatasetExperiment(datasetId: $id, name: "trial") { id } }',
    { id },
  )
  const before = await counted('scores', '')
  await ask(
    `mutation($id: String!) { createDatasetExperimentItem(datasetExperimentId: $id, scores: [{ name: "quality", type: AI, value: 1 }]) { id } }`,
    { id: createDatasetExperiment.id },
  )
  expect(await counted('scores', '')).toBe(before + 1)
  expect(await counted('scores', ', excludeExperiments: true')).toBe(16)
})

test('a query that cannot be read says where, and finds nothing of another project', async () => {
  await expect(counted('steps', '', { query: 'colour=red' })).rejects.toThrow(
    'query: at character 1',
  )
  await expect(counted('threads', '', { query: 'model=m1' })).rejects.toThrow('query: at character')
  expect(await counted('steps', '', { query: 'score[quality]>0' }, other)).toBe(0)
  expect(await counted('scores', '', { query: 'value>=0' }, other)).toBe(0)
})

test('a condition on other rows that too many pass is told, not cut off', async () => {
  const small = await createService({ apiKey: 'k', limits: { searchRows: 10 } })
  const asked = asker(small, 'k')
  await asked('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
    steps: Array.from({ length: 3000 }, (_, index) => ({
      id: `${index}`,
      startTime: new Date(NOW + index).toISOString(),
    })),
  })
  await expect(counted('steps', '', { query: 'score[none]:none' }, asked)).rejects.toThrow(
    'too many rows',
  )
  await small.close()
})
