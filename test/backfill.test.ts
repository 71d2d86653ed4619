import { expect, test } from 'vitest'
import { useService } from './support/service.js'

const fixture = useService('fetch')

const DAY_MS = 86_400_000
const MAY = { from: '2024-05-01T00:00:00.000Z', to: '2024-06-01T00:00:00.000Z' }
const within = ({ from, to }: { from: string; to: string }) => [
  { field: 'startedAt', operator: 'gte', value: from } as const,
  { field: 'startedAt', operator: 'lt', value: to } as const,
]
const lastWeek = () => ({
  from: new Date(Date.now() - 7 * DAY_MS).toISOString(),
  to: new Date(Date.now() + DAY_MS).toISOString(),
})
const begin = Date.parse('2024-05-03T10:00:00.000Z')
const at = (ms: number) => new Date(begin + ms).toISOString()

test('conversations of May 2024 that are recorded today are in lists and charts of May 2024', async () => {
  const stepwell = await fixture.newClient()
  const { api } = stepwell
  await stepwell.trace({ name: 'answer', threadId: 'traced', startTime: at(DAY_MS) }, () =>
    stepwell.trace({ name: 'model', type: 'llm', startTime: at(DAY_MS + 1000) }, () => 'done'),
  )
  await stepwell.flush()
  await api.sendSteps([
    { id: 'sent', threadId: 'sent', type: 'run', startTime: at(0), endTime: at(1000) },
    {
      id: 'sent-call',
      threadId: 'sent',
      parentId: 'sent',
      type: 'llm',
      generation: { model: 'm' },
    },
    { id: 'untold', threadId: 'untold', type: 'run' },
  ])

  const orderBy = { column: 'startedAt', direction: 'DESC' } as const
  const threads = async (range: { from: string; to: string }) =>
    (await api.getThreads({ filters: within(range), orderBy })).data.map(({ id }) => id)
  expect(await threads(MAY)).toEqual(['traced', 'sent'])
  expect(await threads(lastWeek())).toEqual(['untold'])
  expect((await api.getThread('traced'))?.startedAt).toBe(at(DAY_MS))
  expect((await api.getThread('untold'))?.startedAt).toBeNull()

  const steps = await api.getSteps({
    filters: within(MAY),
    orderBy: { ...orderBy, direction: 'ASC' },
  })
  expect(steps.data.map(({ startTime }) => startTime)).toEqual([
    at(0),
    at(DAY_MS),
    at(DAY_MS + 1000),
  ])

  const days = async (range: { from: string; to: string }, buckets: number) =>
    (await api.getMetrics({ subject: 'threads', ...range, buckets })).series.flatMap((series) =>
      series.buckets.map(({ start, count }) => [start, count]),
    )
  expect(await days(MAY, 31)).toEqual([
    ['2024-05-03T00:00:00.000Z', 1],
    ['2024-05-04T00:00:00.000Z', 1],
  ])
  const recent = await days(lastWeek(), 8)
  expect(recent.map(([, count]) => count)).toEqual([1])
})
