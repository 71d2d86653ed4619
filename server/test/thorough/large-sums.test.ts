import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { runs } from '../../../test/support/runs.js'
import type { Database } from '../../src/database/database.js'
import { PATIENCE_MS } from '../../src/database/transactions/attempts.js'
import { ProjectPrices } from '../../src/domain/prices/project-prices.js'
import { changeFigures } from '../../src/domain/threads/change-figures.js'
import type { SumSizes } from '../../src/domain/threads/sum-sizes.js'
import { ThreadSums } from '../../src/domain/threads/sums.js'
import { noteNestedCalls } from '../../src/domain/threads/told-tokens.js'
import type { Caller } from '../../src/kernel/caller.js'
import { useDomain } from '../support/new-domain.js'

/** Called after each statement of the sums. The connection is theirs until it returns. */
let meanwhile: () => void = () => undefined
const made = useDomain()
let projects = 0
let projectId = ''
beforeEach(() => {
  projectId = `large sums ${projects++}`
  meanwhile = () => undefined
})
const callerOf = (projectId: string) =>
  ({ projectId, environment: 'prod', scopes: ['admin'] }) as unknown as Caller

/** Sums that are read by three steps at a time, of any thread. */
const inPortions = (restFactor = 0) => readBy({ threads: 2, steps: -1, restFactor })
/** Sums that are read by whole threads. */
const atOnce = () => readBy({ threads: 2, steps: Number.MAX_SAFE_INTEGER, restFactor: 0 })
const readBy = (sizes: Omit<SumSizes, 'portion'>, db = observed()) =>
  new ThreadSums(db, new ProjectPrices(), {
    ...sizes,
    portion: { most: 3, least: 3, shortMs: 0, longMs: 1e9 },
  })
const observed = (): Database =>
  made.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      meanwhile()
      return result
    },
  })

const ingest = (steps: readonly object[], ofProject = projectId) =>
  made.domain.steps.ingest(callerOf(ofProject), steps as never)
const threadRows = async (ofProject = projectId) => {
  const { rows } = await made.domain.threads.list(callerOf(ofProject), { first: 100 } as never)
  return rows
}
/** The words that the row of the only thread has, without sums. */
const storedWords = async () => {
  const { rows } = await sql<{ words: string | null }>`
    SELECT first_message AS words FROM threads WHERE project_id = ${projectId}`.execute(made.db)
  return rows[0]?.words ?? null
}

const moment = fc
  .integer({ min: 0, max: 20 })
  .map((seconds) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString())
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const text = fc.constantFrom('hello', 'what is the weather', 'sunny', '')
const TRACE = 'a'.repeat(32)
const anyStep = (index: number) =>
  fc.record({
    id: fc.constantFrom(`step ${index}`, `${TRACE}-${String(index).padStart(16, '0')}`),
    parentId: maybe(fc.nat(index).map((parent) => `${TRACE}-${String(parent).padStart(16, '0')}`)),
    type: fc.constantFrom('user_message', 'assistant_message', 'tool', 'llm', 'run', 'undefined'),
    name: fc.constantFrom('search', 'book', 'pay'),
    startTime: maybe(moment),
    endTime: maybe(moment),
    error: maybe(text),
    input: maybe(text.map((content) => ({ content }))),
    output: maybe(text.map((content) => ({ content }))),
    generation: maybe(
      fc.record({
        type: fc.constant('CHAT'),
        model: fc.constantFrom('gpt-4o', 'nobody knows'),
        provider: fc.constant('openai'),
        tokenCount: maybe(fc.nat(100)),
        inputTokenCount: maybe(fc.nat(100)),
        messageCompletion: maybe(
          fc.constantFrom('search', 'book').map((name) => ({
            role: 'assistant',
            content: 'well',
            tool_calls: [{ id: '1', type: 'function', function: { name, arguments: '{}' } }],
          })),
        ),
      }),
    ),
  })

test('sums in portions are those of one statement, for any steps', async () => {
  const anySteps = fc
    .integer({ min: 1, max: 14 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => anyStep(index))))
  await fc.assert(
    fc.asyncProperty(anySteps, async (steps) => {
      const [one, other] = [`one ${projects}`, `other ${projects++}`]
      const found = []
      for (const [ofProject, sums] of [
        [one, atOnce()],
        [other, inPortions()],
      ] as const) {
        const ofThread = steps.map((step) => ({ ...step, threadId: 'thread' }))
        for (const step of ofThread) await ingest([step], ofProject)
        await sums.update(ofProject, ['thread'])
        const [row] = await threadRows(ofProject)
        expect(row?.stale).toBe(false)
        found.push({
          ...row,
          cursor: null,
          projectId: null,
          createdAt: null,
          lastStepAt: null,
          lastActivityAt: null,
        })
      }
      expect(found[1]).toEqual(found[0])
    }),
    { numRuns: runs(200) },
  )
})

const WAYS = [
  ['large', inPortions, 10],
  ['small', atOnce, 5],
] as const

test.each(WAYS)(
  'a step that comes while a %s thread is summed up leaves it marked',
  async (_, ways, least) => {
    await ingest(
      Array.from({ length: 10 }, (_, index) => ({
        id: `step ${index}`,
        threadId: 'thread',
        type: 'tool',
      })),
    )
    let tokens = 0
    const change = () =>
      ingest([
        {
          id: 'step 0',
          startTime: new Date(Date.UTC(2026, 0, 1) - (tokens + 1) * 1000).toISOString(),
          threadId: 'thread',
          generation: { type: 'CHAT', tokenCount: ++tokens },
        },
      ])
    // After each statement of the sums in turn, until there is no further one.
    for (let after = 1, isInTime = true; isInTime; after++) {
      await change()
      let statements = 0
      let arrival: Promise<unknown> | undefined
      meanwhile = () => {
        statements++
        if (statements === after) arrival = change()
      }
      await ways().update(projectId, ['thread'])
      meanwhile = () => undefined
      isInTime = arrival !== undefined
      await arrival
      const [{ stale, tokenCount, startedAt } = {}] = await threadRows()
      if (stale !== true) expect(tokenCount).toBe(tokens)
      // Lists by start count on it: an earlier one never waits for sums.
      expect(Date.parse(startedAt ?? '')).toBe(Date.UTC(2026, 0, 1) - tokens * 1000)
      await ways().update(projectId, ['thread'])
      expect(await threadRows()).toMatchObject([{ stale: false, tokenCount: tokens }])
      if (!isInTime) expect(statements).toBeGreaterThan(least)
    }
  },
)

test.each(WAYS)(
  'words that are deleted while a %s thread is summed up do not come back',
  async (_, ways) => {
    const secret = {
      id: 'said',
      threadId: 'thread',
      type: 'user_message',
      output: { content: 'secret' },
    }
    const others = Array.from({ length: 6 }, (_, index) => ({
      id: `step ${index}`,
      threadId: 'thread',
      type: 'tool',
    }))
    // After each statement of the sums in turn, until there is no further one.
    for (let after = 1, isInTime = true; isInTime; after++) {
      await ingest([...others, secret])
      let statements = 0
      let deletion: Promise<unknown> | undefined
      meanwhile = () => {
        statements++
        if (statements === after) deletion = made.domain.steps.delete(callerOf(projectId), 'said')
      }
      await ways().update(projectId, ['thread'])
      meanwhile = () => undefined
      isInTime = deletion !== undefined
      await deletion
      expect(await storedWords()).toBe(isInTime ? null : 'secret')
    }
  },
)

test.each(WAYS)(
  'a %s thread whose words were deleted has those of its other steps again, though a step comes with each of its sums',
  async (_, ways) => {
    const said = (id: string, second: number) => ({
      id,
      threadId: 'thread',
      type: 'user_message',
      startTime: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
      output: { content: id },
    })
    await ingest([said('first', 1), said('second', 2)])
    await ways().update(projectId, ['thread'])
    expect(await storedWords()).toBe('first')
    await made.domain.steps.delete(callerOf(projectId), 'first')
    expect(await storedWords()).toBe(null)
    let arrival: Promise<unknown> | undefined
    meanwhile = () => {
      arrival ??= ingest([{ id: 'another', threadId: 'thread', type: 'tool' }])
    }
    await ways().update(projectId, ['thread'])
    await arrival
    expect(await threadRows()).toMatchObject([{ stale: true }])
    expect(await storedWords()).toBe('second')
  },
)

test.each(WAYS)('a %s thread keeps its words while calls in it are priced', async (_, ways) => {
  await ingest([
    { id: 'said', threadId: 'thread', type: 'user_message', output: { content: 'hello' } },
  ])
  await ways().update(projectId, ['thread'])
  await ingest([
    {
      id: 'call',
      threadId: 'thread',
      type: 'llm',
      generation: { type: 'CHAT', provider: 'openai', model: 'gpt-4o', inputTokenCount: 1e6 },
    },
  ])
  // As of a call from before there were prices, or whose tokens have changed.
  await sql`
    UPDATE steps SET gen_cost_revision = 0 WHERE project_id = ${projectId} AND has_generation`.execute(
    made.db,
  )
  const seen: (string | null)[] = []
  const looks: Promise<unknown>[] = []
  meanwhile = () => {
    looks.push(storedWords().then((words) => seen.push(words)))
  }
  await ways().update(projectId, ['thread'])
  await Promise.all(looks)
  expect(await threadRows()).toMatchObject([{ stale: false, cost: 2.5e12 }])
  expect(seen.length).toBeGreaterThan(2)
  expect(new Set(seen)).toEqual(new Set(['hello']))
})

/** Returns the database, with work that is done before each of its transactions begins. */
const beforeTransactions = (work: () => Promise<void>): Database =>
  new Proxy(made.db, {
    get: (db, name) => {
      if (name === 'transaction')
        return () => ({
          execute: async (change: (transaction: Database) => Promise<void>) => {
            await work()
            return db.transaction().execute(change)
          },
        })
      const value = Reflect.get(db, name)
      return typeof value === 'function' ? value.bind(db) : value
    },
  })

test.each([
  ['large', -1],
  ['small', Number.MAX_SAFE_INTEGER],
])(
  'tokens of a %s thread with calls in calls count once, though one notes them by what it read before another did',
  async (_, steps) => {
    const id = (index: number) => `${TRACE}-${String(index).padStart(16, '0')}`
    const call = (index: number, tokenCount: number) => ({
      id: id(index),
      parentId: index === 0 ? null : id(index - 1),
      threadId: 'thread',
      type: 'llm',
      generation: { type: 'CHAT', tokenCount },
    })
    // Before each of the transactions in turn, until there is no further one.
    for (let before = 1, isInTime = true; isInTime; before++) {
      await ingest([call(0, 9), call(1, 6)])
      let transactions = 0
      isInTime = false
      const meanwhile = async () => {
        if (++transactions !== before) return
        isInTime = true
        await ingest([call(1, 3)])
        await atOnce().update(projectId, ['thread'])
      }
      const sums = readBy({ threads: 2, steps, restFactor: 0 }, beforeTransactions(meanwhile))
      await sums.update(projectId, ['thread'])
      // Of the outer call, only those tokens count which the inner one does not tell.
      expect([before, await threadRows()]).toMatchObject([
        before,
        [{ stale: false, tokenCount: 9 }],
      ])
    }
  },
)

/** Returns the database, with work that is done before each of its statements outside of transactions. */
const beforeStatements = (work: () => Promise<void>): Database =>
  new Proxy(made.db, {
    get: (db, name) => {
      if (name === 'getExecutor')
        return () => {
          const executor = db.getExecutor()
          const executeQuery: typeof executor.executeQuery = async (...query) => {
            await work()
            return executor.executeQuery(...query)
          }
          return new Proxy(executor, {
            get: (of, member) => {
              if (member === 'executeQuery') return executeQuery
              const value = Reflect.get(of, member)
              return typeof value === 'function' ? value.bind(of) : value
            },
          })
        }
      const value = Reflect.get(db, name)
      return typeof value === 'function' ? value.bind(db) : value
    },
  })

test.each([
  ['large', -1],
  ['small', Number.MAX_SAFE_INTEGER],
])(
  'tokens of a %s thread with calls in calls count once for who asks, though another one has noted them and stored no sums yet',
  async (_, steps) => {
    const call = (index: number, parent: number | null) => ({
      id: `${TRACE}-${String(index).padStart(16, '0')}`,
      parentId: parent === null ? null : `${TRACE}-${String(parent).padStart(16, '0')}`,
      threadId: 'thread',
      type: 'llm',
      generation: { type: 'CHAT', tokenCount: 7 },
    })
    // Before each of the statements in turn, until there is no further one.
    for (let before = 1, isInTime = true; isInTime; before++) {
      await made.domain.threads.delete(callerOf(projectId), 'thread')
      await ingest([call(0, null), call(1, 0)])
      let statements = 0
      isInTime = false
      const meanwhile = async () => {
        if (++statements !== before) return
        isInTime = true
        await noteNestedCalls(made.db, projectId, {
          searched: [{ threadIds: ['thread'] }],
          partlyDeleted: new Set(),
          change: (work) => changeFigures(made.db, projectId, ['thread'], work, PATIENCE_MS),
        })
      }
      const sums = readBy({ threads: 2, steps, restFactor: 0 }, beforeStatements(meanwhile))
      await sums.update(projectId, ['thread'])
      expect([before, await threadRows()]).toMatchObject([before, [{ tokenCount: 7 }]])
      if (!isInTime) expect(statements).toBeGreaterThan(5)
    }
  },
)

test.each(WAYS)(
  'two that sum up a %s thread at once, while it is written to, leave no sums behind',
  async (_, ways) => {
    const sums = [ways(), ways()]
    let stored = 0
    for (let round = 0; round < 15; round++) {
      const steps = Array.from({ length: 4 }, () => ({
        id: `step ${stored++}`,
        threadId: 'thread',
        type: 'tool',
      }))
      await Promise.all([
        ...steps.map((step) => ingest([step])),
        ...sums.map((each) => each.update(projectId, ['thread'])),
      ])
      const [row] = await threadRows()
      if (row?.stale === false) expect(row.stepCount).toBe(stored)
    }
    await Promise.all(sums.map((each) => each.update(projectId, ['thread'])))
    expect(await threadRows()).toMatchObject([{ stale: false, stepCount: stored }])
  },
)

test('a large thread is read in portions when it was never summed up, as one that is imported', async () => {
  const steps = (threadId: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `${threadId} ${index}`, threadId }))
  const small = Array.from({ length: 9 }, (_, index) => `small ${index}`)
  for (const threadId of small) await ingest(steps(threadId, 5))
  await ingest(steps('large', 40))
  await ingest(steps('just not large', 10))
  const sums = readBy({ threads: 100, steps: 10, restFactor: 1e9 })
  const all = [...small, 'large', 'just not large', 'without steps']
  await sums.update(projectId, all)
  expect(all.filter((id) => sums.rests(projectId, id))).toEqual(['large'])
  const counts = (await threadRows()).map(({ id, stepCount, stale }) => [id, stepCount, stale])
  expect(counts.sort()).toEqual([
    ['just not large', 10, false],
    ['large', 40, false],
    ...small.map((id) => [id, 5, false]),
  ])
})

test('others are answered while a thread of thousands of steps is summed up', async () => {
  for (let from = 0; from < 5000; from += 500)
    await ingest(
      Array.from({ length: 500 }, (_, index) => ({
        id: `step ${from + index}`,
        threadId: 'thread',
        type: 'llm',
        generation: { type: 'CHAT', tokenCount: 1 },
      })),
    )
  const summed = async () => {
    await made.domain.threads.sumUp(callerOf(projectId), ['thread'])
    return (await threadRows())[0]
  }
  expect(await summed()).toMatchObject({ stale: false, stepCount: 5000, tokenCount: 5000 })
  await ingest([{ id: 'last', threadId: 'thread', type: 'tool' }])
  let answers = 0
  let isDone = false
  const others = (async () => {
    while (!isDone) {
      await made.domain.threads.find(callerOf('another'), 'none')
      answers++
    }
  })()
  expect(await summed()).toMatchObject({ stale: false, stepCount: 5001 })
  isDone = true
  await others
  // One for each portion, in each of the searches.
  expect(answers).toBeGreaterThan(5)
})

test('a large thread that is written to all the time rests in the background, and is counted for those who ask', async () => {
  await ingest([{ id: 'first', threadId: 'thread', type: 'tool' }])
  const sums = inPortions(1e9)
  await sums.update(projectId, ['thread'])
  expect(sums.rests(projectId, 'thread')).toBe(true)
  expect(sums.rests(projectId, 'another')).toBe(false)
  await ingest([{ id: 'second', threadId: 'thread', type: 'tool' }])
  await sums.update(projectId, ['thread'])
  expect(await threadRows()).toMatchObject([{ stale: false, stepCount: 2 }])
})
