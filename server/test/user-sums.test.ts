import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { runs } from '../../test/support/runs.js'
import { UserSums } from '../src/domain/user-sums.js'
import type { Caller } from '../src/kernel/caller.js'
import { DomainError } from '../src/kernel/errors.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { Pages } from '../src/lists/page.js'
import { findUsage, participantListing, type Usage } from '../src/storage/users.js'
import { useDomain } from './support/new-domain.js'
import { countOf, settle } from './support/settle.js'

const made = useDomain()

// Workers of a cluster mark no users: all sums are read from threads there.
const isOnCluster = Boolean(process.env.STEPWELL_TEST_WORKERS)
const isOnServer = Boolean(process.env.STEPWELL_TEST_DATABASE)

const RULES = { quietSeconds: 0, restFactor: 0 }
const USERS = ['ann', 'ben', 'cai']
const THREADS = ['r', 's', 't', 'u']

const callerOf = (projectId: string) =>
  ({ projectId, environment: 'prod', scopes: ['admin'] }) as unknown as Caller

/** Creates the users of a project. Returns their ids by their names. */
const newUsers = async (caller: Caller): Promise<Map<string, string>> => {
  const ids = new Map<string, string>()
  for (const identifier of USERS)
    ids.set(identifier, (await made.domain.users.create(caller, { identifier })).id)
  return ids
}

/** Reads the sums of users from their threads alone. */
const fromThreads = async (projectId: string): Promise<Map<string, Omit<Usage, 'id'>>> => {
  const { rows } = await sql<Usage>`
    SELECT participant_id AS id, count(*)::int AS "threadCount", coalesce(sum(token_count), 0)::int AS "tokenCount",
      coalesce(sum(error_count), 0)::int AS "errorCount", coalesce(sum(unpriced_count), 0)::int AS "unpricedCount",
      sum(cost)::float8 / 1e12::float8 AS cost, min(coalesce(started_at, created_at)) AS "firstEngaged",
      max(greatest(coalesce(started_at, created_at), last_activity_at)) AS "lastEngaged"
    FROM threads WHERE project_id = ${projectId} AND participant_id IS NOT NULL GROUP BY participant_id`.execute(
    made.db,
  )
  return new Map(rows.map(({ id, ...sums }) => [id, sums]))
}

/** Compares what is read of users with their threads. */
const compare = async (projectId: string, ids: Iterable<string>) => {
  const read = await findUsage(made.db, projectId, [...ids])
  const expected = await fromThreads(projectId)
  expect(new Map(read.map(({ id, ...sums }) => [id, sums]))).toEqual(expected)
}

const COLUMNS = [
  'threadCount',
  'tokenCount',
  'errorCount',
  'cost',
  'firstEngaged',
  'lastEngaged',
] as const
const ORDERS = COLUMNS.flatMap((column) =>
  (['ASC', 'DESC'] as const).map((direction) => ({ column, direction })),
)

/** Walks the list of users in an order, and compares it with a plain sort of what their threads say. */
const compareOrder = async (
  projectId: string,
  ids: readonly string[],
  orderBy: (typeof ORDERS)[number],
) => {
  const sums = await fromThreads(projectId)
  // Moments are texts, as microseconds count.
  const none = orderBy.column.endsWith('Engaged') ? '' : Number.NEGATIVE_INFINITY
  const placeOf = (id: string) => {
    const value = sums.get(id)?.[orderBy.column] ?? null
    return orderBy.column.endsWith('Count') ? Number(value) : (value ?? none)
  }
  const ascending = ids.toSorted((one, other) => {
    const [a, b] = [placeOf(one), placeOf(other)]
    return a < b || (a === b && one < other) ? -1 : 1
  })
  const seen: string[] = []
  const pages = new Pages(made.db, DEFAULT_LIMITS)
  for (let after: string | undefined, more = true; more; ) {
    const { rows, hasNextPage } = await pages.read(projectId, participantListing(projectId), {
      first: 2,
      after,
      orderBy,
    })
    seen.push(...rows.map(({ id }) => id))
    after = rows.at(-1)?.cursor
    more = hasNextPage
  }
  expect(seen).toEqual(orderBy.direction === 'ASC' ? ascending : ascending.reverse())
}

const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      thread: fc.constantFrom(...THREADS),
      id: fc.constantFrom('1', '2'),
      hour: fc.nat({ max: 9 }),
      tokens: fc.nat({ max: 5 }),
      cost: fc.option(fc.nat({ max: 5 })),
      error: fc.constantFrom('boom', null),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('give' as const),
      thread: fc.constantFrom(...THREADS),
      user: fc.constantFrom(...USERS, null),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('deleteThread' as const),
      thread: fc.constantFrom(...THREADS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('deleteUser' as const),
      user: fc.constantFrom(...USERS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('sumUp' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('keep' as const) }) },
)
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never

let projects = 0

const perform = async (caller: Caller, users: Map<string, string>, one: Action) => {
  const { steps, threads, users: people } = made.domain
  const at = (hour: number) => `2026-01-01T0${hour}:00:00.000Z`
  if (one.kind === 'write')
    await steps.ingest(caller, [
      {
        id: `${one.thread} ${one.id}`,
        threadId: one.thread,
        type: 'llm',
        startTime: at(one.hour),
        endTime: at(one.hour),
        error: one.error,
        generation: {
          model: 'none that has a price',
          tokenCount: one.tokens,
          ...(one.cost === null ? {} : { cost: one.cost / 1000 }),
        },
      },
    ] as never[])
  else if (one.kind === 'give')
    await threads.upsert(caller, one.thread, {
      participantId: one.user === null ? null : (users.get(one.user) ?? null),
    })
  else if (one.kind === 'deleteThread')
    await threads.delete(caller, one.thread).catch(() => undefined)
  else if (one.kind === 'deleteUser') {
    const id = users.get(one.user)
    if (id !== undefined) await people.delete(caller, id)
    users.delete(one.user)
  } else if (one.kind === 'sumUp') await threads.catchUp()
  else await settle(new UserSums(made.db, RULES))
}

test('after any changes of steps, threads and users, and whenever sums are kept, those of users are what their threads say', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 25 }), async (actions) => {
      const caller = callerOf(`users ${++projects}`)
      const users = await newUsers(caller)
      const ids = [...users.values()]
      for (const [at, one] of actions.entries()) {
        await perform(caller, users, one)
        await compare(caller.projectId, ids)
        const orderBy = ORDERS[(projects + at) % ORDERS.length] ?? ORDERS[0]
        if (orderBy !== undefined)
          await compareOrder(caller.projectId, [...users.values()], orderBy)
      }
      await made.domain.threads.catchUp()
      await settle(new UserSums(made.db, RULES))
      await compare(caller.projectId, ids)
      if (isOnCluster) return
      expect(await countOf(made.db, 'participant_marks', caller.projectId)).toBe(0)
      const { rows: kept } = await sql<{ id: string }>`
        SELECT participant_id AS id FROM participant_sums WHERE project_id = ${caller.projectId}`.execute(
        made.db,
      )
      const left = new Set(users.values())
      expect(kept.filter(({ id }) => !left.has(id))).toEqual([])
    }),
    { numRuns: runs(30) },
  )
})

test.each([
  ['token_count', '7'],
  ['error_count', '7'],
  ['unpriced_count', '7'],
  ['cost', '7000000000000'],
  ['started_at', "'2020-01-01'"],
  ['created_at', "'2020-01-01'"],
  ['last_activity_at', "'2030-01-01'"],
  ['participant_id', 'NULL'],
])('%s of a thread, changed alone, is in the sums of its user', async (column, value) => {
  const caller = callerOf(`only ${column}`)
  const users = await newUsers(caller)
  await made.domain.threads.upsert(caller, 't', { participantId: users.get('ann') ?? '' })
  await made.domain.threads.catchUp()
  await settle(new UserSums(made.db, RULES))
  const before = await fromThreads(caller.projectId)
  await sql`UPDATE threads SET ${sql.ref(column)} = ${sql.raw(value)}
    WHERE project_id = ${caller.projectId} AND id = 't'`.execute(made.db)
  expect(await fromThreads(caller.projectId)).not.toEqual(before)
  await compare(caller.projectId, users.values())
})

/** Fails each read of threads, so that what is read can come from kept sums alone. */
const withoutThreads = () =>
  made.db.withPlugin({
    transformQuery: ({ node }) => {
      if (JSON.stringify(node).includes('FROM threads')) throw new Error('threads were read')
      return node
    },
    transformResult: async ({ result }) => result,
  })

test.skipIf(isOnCluster)(
  'kept sums are read without threads until one of them changes in what is summed up',
  async () => {
    const caller = callerOf('kept')
    const users = await newUsers(caller)
    const ann = users.get('ann') ?? ''
    const { threads } = made.domain
    await threads.upsert(caller, 't', { participantId: ann })
    await expect(findUsage(withoutThreads(), 'kept', [ann])).rejects.toThrow('threads were read')
    await threads.catchUp()
    await settle(new UserSums(made.db, RULES))
    const [kept] = await findUsage(withoutThreads(), 'kept', [ann])
    expect(kept).toMatchObject({ id: ann, threadCount: 1, cost: null })
    await threads.update(caller, 't', { name: 'renamed' })
    expect(await findUsage(withoutThreads(), 'kept', [ann])).toEqual([kept])
    await threads.upsert(caller, 'u', { participantId: ann })
    await expect(findUsage(withoutThreads(), 'kept', [ann])).rejects.toThrow('threads were read')
    expect(await findUsage(made.db, 'kept', [ann])).toMatchObject([{ threadCount: 2 }])
  },
)

test.skipIf(isOnCluster)(
  'a transaction that ends half-way leaves its marks, and the sums of before',
  async () => {
    const caller = callerOf('half')
    const users = await newUsers(caller)
    const ann = users.get('ann') ?? ''
    await settle(new UserSums(made.db, RULES))
    await made.domain.threads.upsert(caller, 't', { participantId: ann })
    const marks = await countOf(made.db, 'participant_marks', 'half')
    expect(marks).toBeGreaterThan(0)
    for (let statements = 2; ; statements++) {
      let left = statements
      const ending = made.db.withPlugin({
        transformQuery: ({ node }) => {
          if (left-- <= 0) throw new Error('the process was killed')
          return node
        },
        transformResult: async ({ result }) => result,
      })
      const wasKilled = await settle(new UserSums(ending, RULES)).then(
        () => false,
        () => true,
      )
      await compare('half', users.values())
      if (!wasKilled) break
      const { rows: kept } = await sql`
        SELECT FROM participant_sums WHERE project_id = 'half' AND thread_count > 0`.execute(
        made.db,
      )
      const isKept = kept.length > 0
      expect(await countOf(made.db, 'participant_marks', 'half')).toBe(isKept ? 0 : marks)
    }
    expect(await countOf(made.db, 'participant_marks', 'half')).toBe(0)
  },
)

test.skipIf(isOnCluster)('a user who takes long rests, while others are summed up', async () => {
  const caller = callerOf('rest')
  const users = await newUsers(caller)
  const { threads } = made.domain
  await threads.upsert(caller, 'of ann', { participantId: users.get('ann') ?? '' })
  // Each user takes longer than that, and so alone.
  const slow = new UserSums(made.db, { ...RULES, transactionMs: 0, restFactor: 1e6 })
  await settle(slow)
  expect(await countOf(made.db, 'participant_marks', 'rest')).toBe(0)
  await threads.upsert(caller, 'more of ann', { participantId: users.get('ann') ?? '' })
  const dan = await made.domain.users.create(caller, { identifier: 'dan' })
  await threads.upsert(caller, 'of dan', { participantId: dan.id })
  await settle(slow)
  const { rows } = await sql`
    SELECT DISTINCT participant_id AS id FROM participant_marks WHERE project_id = 'rest'`.execute(
    made.db,
  )
  expect(rows).toEqual([{ id: users.get('ann') }])
  await compare('rest', [...users.values(), dan.id])
})

test.skipIf(isOnCluster)(
  'a user whose threads take too long has no kept sums, and keeps nobody else from theirs',
  async () => {
    const caller = callerOf('endless')
    const users = await newUsers(caller)
    const ben = users.get('ben') ?? ''
    for (const [name, id] of users)
      await made.domain.threads.upsert(caller, `of ${name}`, { participantId: id })
    let tries = 0
    const db = made.db.withPlugin({
      transformQuery: ({ node }) => {
        const statement = JSON.stringify(node)
        if (!statement.includes('INSERT INTO participant_sums') || !statement.includes(ben))
          return node
        tries++
        const cause = Object.assign(new Error('statement timeout'), { code: '57014' })
        throw new DomainError('UNAVAILABLE', 'too slow', cause)
      },
      transformResult: async ({ result }) => result,
    })
    const sums = new UserSums(db, { quietSeconds: 0, transactionMs: 60_000 })
    // Some are tried together first, then fewer.
    await settle(sums)
    const kept = await countOf(made.db, 'participant_sums', 'endless')
    expect(kept).toBe(USERS.length - 1)
    expect(tries).toBeGreaterThan(0)
    await compare('endless', users.values())
  },
)

test.runIf(isOnServer && !isOnCluster)(
  'two processes keep sums while requests write, and miss nothing',
  async () => {
    const caller = callerOf('two')
    const users = await newUsers(caller)
    const ids = [...users.values()]
    let isWriting = true
    const work = async (sums: UserSums) => {
      while (isWriting) await sums.work()
    }
    const working = [0, 1].map(() => work(new UserSums(made.db, RULES)))
    const write = async (writer: number) => {
      for (let round = 0; round < 60; round++)
        await made.domain.threads.upsert(caller, `${writer} ${round % 9}`, {
          participantId: ids[(round + writer) % ids.length] ?? null,
        })
    }
    await Promise.all([0, 1].map(write))
    isWriting = false
    await Promise.all(working)
    await compare('two', ids)
    await settle(new UserSums(made.db, RULES))
    expect(await countOf(made.db, 'participant_marks', 'two')).toBe(0)
    await compare('two', ids)
  },
)
