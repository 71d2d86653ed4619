import { beforeAll, expect, test } from 'vitest'
import type { StepwellClient } from '../src/index.js'
import { useService } from './support/service.js'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const RANGE = {
  from: new Date(NOW - 3_600_000).toISOString(),
  to: new Date(NOW + 3_600_000).toISOString(),
}

const fixture = useService()
let api: StepwellClient['api']
beforeAll(async () => {
  ;({ api } = await fixture.newClient())
  await api.sendSteps(
    Array.from({ length: 24 }, (_, index) => ({
      id: `s${index}`,
      threadId: `t${index % 6}`,
      type: index % 3 === 0 ? ('run' as const) : ('llm' as const),
      name: index % 2 === 0 ? 'even' : 'odd',
      environment: (['prod', 'staging', 'experiment'] as const)[index % 3],
      startTime: new Date(NOW + index * 1000).toISOString(),
      endTime: new Date(NOW + index * 1500).toISOString(),
      ...(index % 3 === 0 ? {} : { generation: { model: `m${index % 2}` } }),
      ...(index % 5 === 0 ? { error: 'no' } : {}),
    })),
  )
})

const countOf = (series: readonly { total: { count: number } }[]) => series[0]?.total.count ?? 0

test.each([
  'error:any',
  'name=even OR error:any',
  'NOT (name=even type=run)',
  'start>2026-03-01T12:00:07Z',
])('as many steps are measured by %s as the list of it has', async (query) => {
  const { totalCount } = await api.getSteps({ query, first: 1 })
  expect(totalCount).toBeGreaterThan(0)
  const params = { subject: 'steps', ...RANGE, query } as const
  expect(countOf((await api.getMetrics(params)).series)).toBe(totalCount)
  expect(countOf((await api.get_metrics(params)).series)).toBe(totalCount)
})

test.each(['any(name=even error:any)', 'any(type=run) any(name=odd)', 'steps>3'])(
  'as many threads are measured by %s as the list of it has',
  async (query) => {
    const { totalCount } = await api.listThreads({ query, first: 1 })
    expect(totalCount).toBeGreaterThan(0)
    const { series } = await api.getMetrics({ subject: 'threads', ...RANGE, query })
    expect(countOf(series)).toBe(totalCount)
  },
)

test('as many generations are measured as the list of their query has, without experiments on request', async () => {
  const query = 'model=m1'
  const all = (await api.getGenerations({ query, first: 1 })).totalCount
  const params = { subject: 'generations', ...RANGE, query } as const
  expect(countOf((await api.getMetrics(params)).series)).toBe(all)
  const without = (await api.getGenerations({ query: `${query} env!=experiment`, first: 1 }))
    .totalCount
  expect(without).toBeLessThan(all as number)
  const { series } = await api.getMetrics({ ...params, excludeExperiments: true })
  expect(countOf(series)).toBe(without)
  const snake = await api.get_metrics({ ...params, exclude_experiments: true })
  expect(countOf(snake.series)).toBe(without)
})

test('a query that cannot be read says where', async () => {
  await expect(
    api.getMetrics({ subject: 'steps', ...RANGE, query: 'colour=red' }),
  ).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining('query: at character 1'),
  })
})
