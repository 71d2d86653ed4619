import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../test/support/runs.js'
import type { Ask } from './support/ask.js'
import { useService } from './support/new-service.js'

// Users by sums over their threads, against a plain sort of all that was sent.

const newProject = useService()

interface SentThread {
  hour: number
  tokens: number
  /** Milli-dollars, so that sums here are exact. */
  cost: number | undefined
  errors: number
}
/** The threads of each user. */
type Sent = readonly (readonly SentThread[])[]

/** Sums are often equal, and some users have none. */
const sent: fc.Arbitrary<Sent> = fc.array(
  fc.array(
    fc.record({
      hour: fc.nat({ max: 3 }),
      tokens: fc.nat({ max: 2 }),
      cost: fc.option(fc.nat({ max: 2 }), { nil: undefined }),
      errors: fc.nat({ max: 1 }),
    }),
    { maxLength: 3 },
  ),
  { minLength: 1, maxLength: 14 },
)

const LIST = `query ($first: Int, $last: Int, $after: ID, $before: ID, $skip: Int, $query: String, $orderBy: ParticipantsOrderByInput) {
  participants(first: $first, last: $last, after: $after, before: $before, skip: $skip, query: $query, orderBy: $orderBy) {
    totalCount pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
    edges { node { id identifier createdAt threadCount tokenCount errorCount cost lastEngaged firstEngaged } } } }`

interface User {
  id: string
  identifier: string
  createdAt: string
  threadCount: number
  tokenCount: number
  errorCount: number
  cost: number | null
  lastEngaged: string | null
  firstEngaged: string | null
}
interface Page {
  totalCount: number
  pageInfo: {
    startCursor: string | null
    endCursor: string | null
    hasNextPage: boolean
    hasPreviousPage: boolean
  }
  edges: { node: User }[]
}

const pageOf = async (ask: Ask, variables: object): Promise<Page> =>
  (await ask(LIST, variables)).participants
const momentOf = (hour: number) => `2025-01-01T0${hour}:00:00.000Z`
const nameOf = (user: number) => `user ${user}`

const store = async (ask: Ask, users: Sent) => {
  for (const [user, threads] of users.entries()) {
    await ask('mutation ($name: String!) { createParticipant(identifier: $name) { id } }', {
      name: nameOf(user),
    })
    for (const index of threads.keys())
      await ask(
        'mutation ($id: String!, $user: String!) { upsertThread(id: $id, participantId: $user) { id } }',
        { id: `${user} ${index}`, user: nameOf(user) },
      )
  }
  const steps = users.flatMap((threads, user) =>
    threads.map(({ hour, tokens, cost, errors }, index) => ({
      id: `step ${user} ${index}`,
      threadId: `${user} ${index}`,
      startTime: momentOf(hour),
      endTime: momentOf(hour),
      ...(errors === 0 ? {} : { error: 'boom' }),
      generation: {
        model: 'none that has a price',
        tokenCount: tokens,
        ...(cost === undefined ? {} : { cost: cost / 1000 }),
      },
    })),
  )
  const { ingestSteps } = await ask(
    'mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message } }',
    { steps },
  )
  expect(ingestSteps).toEqual({ ok: true, message: null })
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** The sums of a user, from all that was sent. */
const expectedOf = (threads: readonly SentThread[]) => {
  const costs = threads.flatMap(({ cost }) => (cost === undefined ? [] : [cost]))
  const hours = threads.map(({ hour }) => hour)
  return {
    threadCount: threads.length,
    tokenCount: sum(threads.map(({ tokens }) => tokens)),
    errorCount: sum(threads.map(({ errors }) => errors)),
    cost: costs.length === 0 ? null : sum(costs) / 1000,
    lastEngaged: hours.length === 0 ? null : momentOf(Math.max(...hours)),
    firstEngaged: hours.length === 0 ? null : momentOf(Math.min(...hours)),
  }
}

const COLUMNS = [
  'createdAt',
  'identifier',
  'threadCount',
  'tokenCount',
  'errorCount',
  'cost',
  'lastEngaged',
  'firstEngaged',
] as const

interface OrderBy {
  column: (typeof COLUMNS)[number]
  direction: 'ASC' | 'DESC'
}
const ORDERS: readonly OrderBy[] = COLUMNS.flatMap((column) =>
  (['ASC', 'DESC'] as const).map((direction) => ({ column, direction })),
)
/** Some orders at a time, as each is walked twice. */
const orders = fc.shuffledSubarray([...ORDERS], { minLength: 5, maxLength: 5 })

const sorted = (users: readonly User[], { column, direction }: OrderBy): string[] => {
  const compare = (one: User, other: User) => {
    const [a, b] = [one[column], other[column]]
    if (a === b) return one.id < other.id ? -1 : 1
    if (a === null || b === null) return a === null ? -1 : 1
    return a < b ? -1 : 1
  }
  const ascending = users.toSorted(compare)
  return (direction === 'ASC' ? ascending : ascending.reverse()).map(({ id }) => id)
}

const walk = async (ask: Ask, orderBy: OrderBy, size: number, isBackward: boolean) => {
  const seen: string[] = []
  for (let cursor: string | null = null, more = true; more; ) {
    const range = isBackward ? { last: size, before: cursor } : { first: size, after: cursor }
    const { edges, pageInfo } = await pageOf(ask, { ...range, orderBy })
    const ids = edges.map(({ node }) => node.id)
    if (isBackward) seen.unshift(...ids)
    else seen.push(...ids)
    cursor = isBackward ? pageInfo.startCursor : pageInfo.endCursor
    more = isBackward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage
  }
  return seen
}

test('all pages of users, either way, are a plain sort by any column, those without a value last in DESC', async () => {
  await fc.assert(
    fc.asyncProperty(sent, orders, fc.integer({ min: 1, max: 5 }), async (users, some, size) => {
      const ask = await newProject()
      await store(ask, users)
      // The first list asks for the sums: no other has computed them.
      const orderBy = { column: 'cost', direction: 'DESC' } as const
      const { edges, totalCount } = await pageOf(ask, { first: 100, orderBy })
      const all = edges.map(({ node }) => node)
      expect(totalCount).toBe(users.length)
      expect(all.map(({ id }) => id)).toEqual(sorted(all, orderBy))
      for (const [user, threads] of users.entries())
        expect(all.find(({ identifier }) => identifier === nameOf(user))).toMatchObject(
          expectedOf(threads),
        )
      for (const chosen of some) {
        const expected = sorted(all, chosen)
        for (const isBackward of [false, true])
          expect(await walk(ask, chosen, size, isBackward)).toEqual(expected)
        const { edges: skipped } = await pageOf(ask, { first: size, skip: 2, orderBy: chosen })
        expect(skipped.map(({ node }) => node.id)).toEqual(expected.slice(2, 2 + size))
      }
    }),
    { numRuns: runs(12) },
  )
})

describe('users of four kinds', () => {
  const thread = (given: Partial<SentThread>): SentThread => ({
    hour: 0,
    tokens: 1,
    cost: undefined,
    errors: 0,
    ...given,
  })
  const filled = async () => {
    const ask = await newProject()
    await store(ask, [
      [],
      [thread({ errors: 1, cost: 5 }), thread({ errors: 1, hour: 2 })],
      [thread({ errors: 1, cost: 9, hour: 3 })],
      [thread({ hour: 1 })],
    ])
    return ask
  }
  const named = async (ask: Ask, variables: object) =>
    (await pageOf(ask, { first: 10, ...variables })).edges.map(({ node }) => node.identifier)

  test('are found by the failed steps in all threads, and the rest is in the order', async () => {
    const ask = await filled()
    const orderBy = { column: 'cost', direction: 'DESC' }
    expect(await named(ask, { query: 'errors>0', orderBy })).toEqual(['user 2', 'user 1'])
    expect(await named(ask, { query: 'errors>1' })).toEqual(['user 1'])
    expect(
      await named(ask, { query: 'errors=0', orderBy: { ...orderBy, column: 'lastEngaged' } }),
    ).toEqual(['user 3', 'user 0'])
    expect(await named(ask, { query: 'user:"user 2" OR errors>1', orderBy })).toEqual([
      'user 2',
      'user 1',
    ])
  })

  test('keep their order when one of them is deleted between two pages', async () => {
    const ask = await filled()
    const orderBy = { column: 'errorCount', direction: 'DESC' }
    const { edges, pageInfo } = await pageOf(ask, { first: 1, orderBy })
    await ask('mutation ($id: String!) { deleteParticipant(id: $id) { id } }', {
      id: edges[0]?.node.id,
    })
    expect(await named(ask, { after: pageInfo.endCursor, orderBy })).toEqual(
      await named(ask, { orderBy }),
    )
  })

  test('are no list in the order of another column, or by its cursor', async () => {
    const ask = await filled()
    const { pageInfo } = await pageOf(ask, {
      first: 1,
      orderBy: { column: 'cost', direction: 'DESC' },
    })
    const refused = (variables: object) => pageOf(ask, variables)
    await expect(refused({ orderBy: { column: 'colour', direction: 'ASC' } })).rejects.toThrow(
      /orderBy.column: \\"colour\\" is no order of this list; expected one of createdAt, lastEngaged, firstEngaged, threadCount, tokenCount, errorCount, cost, identifier/,
    )
    await expect(
      refused({ after: pageInfo.endCursor, orderBy: { column: 'threadCount', direction: 'ASC' } }),
    ).rejects.toThrow(/after: expected a cursor of a list ordered by threadCount/)
    await expect(refused({ after: pageInfo.endCursor })).rejects.toThrow(/ordered by createdAt/)
  })
})
