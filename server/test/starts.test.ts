import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../../test/support/runs.js'
import { type Ask, asker } from './support/ask.js'

let service: Service
beforeAll(async () => {
  service = await createService()
})
afterAll(() => service?.close())

let projects = 0
const newProject = async (): Promise<Ask> =>
  asker(service, (await service.createProject(`starts ${++projects}`)).apiKey)

const INGEST = 'mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message } }'
const LISTS = {
  steps: { order: 'StepsOrderByInput', filter: 'stepsInputType', more: 'startTime' },
  generations: { order: 'GenerationsOrderByInput', filter: 'generationsInputType', more: '' },
  threads: {
    order: 'ThreadsOrderByInput',
    filter: 'ThreadsInputType',
    more: 'startedAt steps { startTime }',
  },
}
type List = keyof typeof LISTS

interface Row {
  id: string
  createdAt: string
  startTime?: string | null
  startedAt?: string | null
  steps?: { startTime: string | null }[]
}

const documentOf = (list: List) => {
  const { order, filter, more } = LISTS[list]
  return `query($first: Int, $last: Int, $after: ID, $before: ID, $orderBy: ${order}, $filters: [${filter}!]) {
    ${list}(first: $first, last: $last, after: $after, before: $before, orderBy: $orderBy, filters: $filters) {
      edges { node { id createdAt ${more} } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } totalCount
    }
  }`
}

const read = async (ask: Ask, list: List, variables: object) =>
  (await ask(documentOf(list), variables))[list]
const rowsOf = (page: { edges: { node: Row }[] }) => page.edges.map(({ node }) => node)
const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id)

const walk = async (ask: Ask, list: List, variables: object, size: number, isBackward: boolean) => {
  const seen: string[] = []
  for (let cursor: string | null = null, more = true; more; ) {
    const range = isBackward ? { last: size, before: cursor } : { first: size, after: cursor }
    const page = await read(ask, list, { ...variables, ...range })
    const ids = idsOf(rowsOf(page))
    if (isBackward) seen.unshift(...ids)
    else seen.push(...ids)
    cursor = isBackward ? page.pageInfo.startCursor : page.pageInfo.endCursor
    more = isBackward ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage
  }
  return seen
}

/** Texts of moments sort as moments do when all have microseconds. */
const whole = (moment: string): string =>
  moment
    .replace(/(\.\d{3})?Z$/, (_, part = '.000') => `${part}000Z`)
    .replace(/(\.\d{6})000Z$/, '$1Z')

/** The moment at which a row happened, from the answers of the service alone. */
const momentOf = ({ startTime, steps, createdAt }: Row): string => {
  const told = steps === undefined ? [startTime] : steps.map((step) => step.startTime)
  const starts = told.filter((start) => start != null).map(whole)
  return starts.length === 0 ? whole(createdAt) : starts.reduce((a, b) => (a < b ? a : b))
}

/** Clocks that are wrong, moments that are equal or differ by a microsecond, and moments before and after the arrival. */
const MOMENTS = [
  '0001-01-01T00:00:00Z',
  '1969-12-31T23:59:59.999999Z',
  '1970-01-01T00:00:00Z',
  '2024-05-01T10:00:00Z',
  '2024-05-01T10:00:00.000001Z',
  '2024-05-31T10:00:00Z',
  '2100-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
]

/** A part of a step: a start that is told, cleared or left out, a thread that it moves to, or its deletion. */
const part = fc.record({
  id: fc.nat(7).map((id) => `s${id}`),
  startTime: fc.option(fc.constantFrom(...MOMENTS, null), { nil: undefined }),
  threadId: fc.option(fc.constantFrom('t0', 't1', 't2', null), { nil: undefined }),
  isDeleted: fc.nat(9).map((one) => one === 0),
})

test('steps, generations and threads are listed by start, in whatever order and parts they came', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(part, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('ASC', 'DESC'),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(...MOMENTS),
      async (batches, direction, size, bound) => {
        const ask = await newProject()
        for (const batch of batches) {
          const steps = batch.map(({ id, startTime, threadId }) => ({
            id,
            ...(startTime === undefined ? {} : { startTime }),
            ...(threadId === undefined ? {} : { threadId }),
            ...(id < 's4' ? { generation: { model: 'm' } } : {}),
          }))
          expect(await ask(INGEST, { steps })).toMatchObject({ ingestSteps: { ok: true } })
          for (const { id, isDeleted } of batch)
            if (isDeleted)
              await ask('mutation($id: String!) { deleteStep(id: $id) { id } }', { id })
          // A list in between has computed sums that later parts change.
          await read(ask, 'threads', { orderBy: { column: 'startedAt', direction } })
        }
        const orderBy = { column: 'startedAt', direction }
        const allSteps = rowsOf(await read(ask, 'steps', { first: 100 }))
        const stepsById = new Map(allSteps.map((row) => [row.id, row]))
        for (const list of ['steps', 'generations', 'threads'] as const) {
          const rows = rowsOf(await read(ask, list, { first: 100 })).map((row) => ({
            ...row,
            ...(list === 'generations' ? stepsById.get(row.id) : {}),
          }))
          const sorted = rows.toSorted((a, b) => {
            const [one, other] = [momentOf(a) + a.id, momentOf(b) + b.id]
            return (one < other ? -1 : 1) * (direction === 'ASC' ? 1 : -1)
          })
          expect(await walk(ask, list, { orderBy }, size, false), list).toEqual(idsOf(sorted))
          expect(await walk(ask, list, { orderBy }, size, true), list).toEqual(idsOf(sorted))
          for (const operator of ['gte', 'lt']) {
            const filters = [{ field: 'startedAt', operator, value: bound }]
            const inRange = sorted.filter(
              (row) => momentOf(row) >= whole(bound) === (operator === 'gte'),
            )
            expect(await walk(ask, list, { orderBy, filters }, size, false)).toEqual(idsOf(inRange))
            expect((await read(ask, list, { filters })).totalCount).toBe(inRange.length)
          }
        }
        const { threads } = await ask(
          '{ threads(first: 100) { edges { node { startedAt steps { startTime } } } } }',
        )
        for (const { startedAt, steps } of rowsOf(threads)) {
          const starts = (steps ?? []).flatMap(({ startTime }) =>
            startTime === null ? [] : [whole(startTime)],
          )
          expect(startedAt == null ? null : whole(startedAt)).toBe(starts.toSorted()[0] ?? null)
        }
      },
    ),
    { numRuns: runs(20) },
  )
})

test('charts count what happened in a range, whenever it arrived', async () => {
  const ask = await newProject()
  const at = (day: number) => `2024-05-${String(day).padStart(2, '0')}T12:00:00Z`
  const steps = Array.from({ length: 31 }, (_, index) => ({
    id: `s${index}`,
    type: 'run',
    threadId: `t${index}`,
    startTime: at(index + 1),
    endTime: at(index + 1),
    generation: { model: 'm' },
  }))
  await ask(INGEST, { steps: [...steps, { id: 'untimed', type: 'run', threadId: 'now' }] })
  const count = async (from: string, to: string, buckets: number) => {
    const subjects = ['threads', 'runs', 'steps', 'generations']
    const answer = await ask(
      `{ ${subjects.map((subject) => `${subject}: metrics(subject: ${subject}, from: "${from}", to: "${to}", buckets: ${buckets}) { series { buckets { start count } } }`).join(' ')} }`,
    )
    return subjects.map((subject) => answer[subject].series[0]?.buckets ?? [])
  }
  for (const buckets of await count('2024-05-01T00:00:00Z', '2024-06-01T00:00:00Z', 31)) {
    expect(buckets).toHaveLength(31)
    expect(buckets[30]).toEqual({ start: '2024-05-31T00:00:00.000Z', count: 1 })
  }
  const now = Date.now()
  const week = [now - 7 * 86_400_000, now + 60_000].map((ms) => new Date(ms).toISOString())
  const [threads, runs, all, generations] = await count(week[0] ?? '', week[1] ?? '', 7)
  expect([threads, runs, all]).toEqual(Array(3).fill([{ start: expect.any(String), count: 1 }]))
  expect(generations).toEqual([])
})

test('a list by creation keeps its order and its ranges', async () => {
  const ask = await newProject()
  for (const [id, startTime] of [
    ['a', MOMENTS[5]],
    ['b', MOMENTS[3]],
    ['c', MOMENTS[6]],
  ])
    await ask(INGEST, { steps: [{ id, startTime, threadId: `t-${id}` }] })
  for (const list of ['steps', 'threads'] as const) {
    const prefix = list === 'steps' ? '' : 't-'
    const page = await read(ask, list, { first: 2 })
    expect(idsOf(rowsOf(page))).toEqual([`${prefix}c`, `${prefix}b`])
    const filters = [{ field: 'createdAt', operator: 'gte', value: '2025-01-01' }]
    expect(idsOf(rowsOf(await read(ask, list, { filters })))).toHaveLength(3)
    await expect(
      read(ask, list, {
        after: page.pageInfo.endCursor,
        orderBy: { column: 'startedAt', direction: 'DESC' },
      }),
    ).rejects.toThrow('after: expected a cursor of a list ordered by startedAt, got one ordered by')
  }
})

test('users were seen first and last when their threads happened', async () => {
  const ask = await newProject()
  const { createParticipant } = await ask(
    'mutation { createParticipant(identifier: "ada") { id } }',
  )
  const { id } = createParticipant
  for (const thread of ['t0', 't1'])
    await ask(
      'mutation($thread: String!, $id: String!) { upsertThread(id: $thread, participantId: $id) { id } }',
      {
        thread,
        id,
      },
    )
  await ask(INGEST, {
    steps: [
      { id: 'a', threadId: 't0', startTime: '2024-05-02T10:00:00Z' },
      {
        id: 'b',
        threadId: 't1',
        startTime: '2024-05-09T10:00:00Z',
        endTime: '2024-05-09T11:00:00Z',
      },
    ],
  })
  const { participant } = await ask(
    'query($id: String!) { participant(id: $id) { firstEngaged lastEngaged } }',
    { id },
  )
  expect(participant).toEqual({
    firstEngaged: '2024-05-02T10:00:00.000Z',
    lastEngaged: '2024-05-09T11:00:00.000Z',
  })
})
