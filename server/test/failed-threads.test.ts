import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'

const THREADS = 24
const MOST_ERRORS = 3

let service: Service
let api: StepwellClient['api']
beforeAll(async () => {
  service = await createService()
  const { apiKey } = await service.createProject('failures')
  api = new StepwellClient({ apiKey, fetch: service.fetch }).api
  await api.sendSteps(
    Array.from({ length: THREADS * MOST_ERRORS }, (_, index) => {
      const thread = index % THREADS
      const place = Math.floor(index / THREADS)
      return {
        id: `step-${index}`,
        threadId: `thread-${thread}`,
        name: 'a',
        startTime: new Date(Date.UTC(2026, 0, 1, 0, THREADS - thread)).toISOString(),
        ...(place < errorsOf(thread) ? { error: 'boom' } : {}),
      }
    }),
  )
})
afterAll(() => service?.close())

const errorsOf = (thread: number): number => thread % (MOST_ERRORS + 1)

const COMPARED = {
  eq: (one: number, other: number) => one === other,
  neq: (one: number, other: number) => one !== other,
  gt: (one: number, other: number) => one > other,
  gte: (one: number, other: number) => one >= other,
  lt: (one: number, other: number) => one < other,
  lte: (one: number, other: number) => one <= other,
} as const

const CASES = (Object.keys(COMPARED) as (keyof typeof COMPARED)[]).flatMap((operator) =>
  [-1, 0, 0.5, 1, 1.5, 2, 3].map((value) => [operator, value] as const),
)

test.each(CASES)(
  'threads whose number of errors is %s %d are found and counted, in each order',
  async (operator, value) => {
    const expected = Array.from({ length: THREADS }, (_, thread) => thread)
      .filter((thread) => COMPARED[operator](errorsOf(thread), value))
      .map((thread) => `thread-${thread}`)
    for (const column of ['startedAt', 'createdAt', 'tokenCount'] as const) {
      const page = await api.getThreads({
        first: 100,
        filters: [{ field: 'errorCount', operator, value }],
        orderBy: { column, direction: 'ASC' },
      })
      expect(page.data.map(({ id }) => id).toSorted()).toEqual(expected.toSorted())
      expect(page.totalCount).toBe(expected.length)
      // The first thread started last.
      if (column === 'startedAt')
        expect(page.data.map(({ id }) => id)).toEqual(expected.toReversed())
    }
  },
)

test('a thread is found by its errors no more once they are taken back', async () => {
  const id = 'thread-1'
  const failed = async () =>
    (
      await api.getThreads({
        first: 100,
        filters: [{ field: 'errorCount', operator: 'gt', value: 0 }],
      })
    ).data.some((thread) => thread.id === id)
  expect(await failed()).toBe(true)
  await api.deleteStep('step-1')
  expect(await failed()).toBe(false)
})
