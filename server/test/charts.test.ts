import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ask, asker } from './support/ask.js'

let service: Service
let ask: Ask
beforeAll(async () => {
  service = await createService()
  ask = asker(service, (await service.createProject('charts')).apiKey)
})
afterAll(() => service?.close())

const CHART = 'id subject name query range environment position chart { subject metric by score }'
const TOKENS = { subject: 'generations', metric: 'tokens', by: 'model' }

const create = async (variables: Record<string, unknown>, by = ask) =>
  (
    await by(
      `mutation($subject: ViewSubject!, $name: String!, $query: String!, $columns: [String!], $isDefault: Boolean, $chart: ChartSettingsInput) {
        createView(subject: $subject, name: $name, query: $query, columns: $columns, isDefault: $isDefault, chart: $chart) { ${CHART} } }`,
      { subject: 'CHARTS', query: '', ...variables },
    )
  ).createView
const update = async (variables: Record<string, unknown>) =>
  (
    await ask(
      `mutation($id: String!, $query: String, $chart: ChartSettingsInput, $position: Float) {
        updateView(id: $id, query: $query, chart: $chart, position: $position) { ${CHART} } }`,
      variables,
    )
  ).updateView
const names = async (by = ask): Promise<string[]> =>
  (await by(`{ views(subject: CHARTS) { name } }`)).views.map(({ name }: { name: string }) => name)
const errorOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: Error) => JSON.parse(error.message)[0].message,
  )

test('a chart is kept as it was saved, behind the others, and moves between two of them', async () => {
  const first = await create({ name: 'tokens', query: 'model~gpt', chart: TOKENS })
  expect(first).toMatchObject({
    subject: 'CHARTS',
    query: 'model~gpt',
    chart: { ...TOKENS, score: null },
  })
  const second = await create({ name: 'b', chart: { subject: 'threads', metric: 'count' } })
  const third = await create({
    name: 'a',
    query: 'value>0',
    chart: { subject: 'scores', metric: 'mean', score: 'quality', by: 'promptVersion' },
  })
  expect(await names()).toEqual(['tokens', 'b', 'a'])
  await update({ id: third.id, position: (first.position + second.position) / 2 })
  expect(await names()).toEqual(['tokens', 'a', 'b'])
  expect(
    await update({ id: second.id, chart: { subject: 'runs', metric: 'errors' } }),
  ).toMatchObject({
    name: 'b',
    position: second.position,
    chart: { subject: 'runs', metric: 'errors', by: null },
  })
})

test('a chart of something that its rows lack is rejected by the name of the field', async () => {
  const rejected = (chart: unknown, more = {}) => errorOf(create({ name: 'bad', chart, ...more }))
  expect(await rejected(undefined)).toContain('chart: expected')
  expect(await rejected({ subject: 'threads', metric: 'mean' })).toContain('chart.metric')
  expect(await rejected({ subject: 'scores', metric: 'cost' })).toContain('chart.metric')
  expect(await rejected({ ...TOKENS, subject: 'threads' })).toContain('chart.by')
  expect(await rejected({ subject: 'scores', metric: 'mean', by: 'user' })).toContain('chart.by')
  expect(await rejected({ ...TOKENS, score: 'quality' })).toContain('chart.score')
  expect(await rejected(TOKENS, { query: 'colour=red' })).toContain('query: at character 1')
  expect(await rejected(TOKENS, { columns: ['name'] })).toContain('columns')
  expect(await rejected(TOKENS, { isDefault: true })).toContain('isDefault')
  expect(await rejected(TOKENS, { subject: 'THREADS' })).toContain('chart')
  // The stored query has to fit the new rows, too.
  const { id } = await create({ name: 'with a query', query: 'model=a', chart: TOKENS })
  expect(await errorOf(update({ id, chart: { subject: 'threads', metric: 'count' } }))).toContain(
    'query: at character 1',
  )
})

test('charts are of one project, and no more than a page can measure', async () => {
  const other = asker(service, (await service.createProject('other')).apiKey)
  expect(await names(other)).toEqual([])
  const chart = { subject: 'steps', metric: 'count' }
  const made = await Promise.allSettled(
    Array.from({ length: 62 }, (_, index) => create({ name: `chart ${index}`, chart }, other)),
  )
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(60)
  expect(await errorOf(create({ name: 'more', chart }, other))).toContain('at most 60 charts')
  expect(await create({ subject: 'STEPS', name: 'a list' }, other)).toMatchObject({
    chart: null,
    position: null,
  })
})
