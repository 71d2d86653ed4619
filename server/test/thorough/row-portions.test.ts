import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/database/database.js'
import { select, sql } from '../../src/database/rows/sql.js'
import { s } from '../../src/database/rows/tables.js'
import { parseStepPatch } from '../../src/domain/ingestion/step-patch.js'
import { Values } from '../../src/domain/values.js'
import type { Caller } from '../../src/kernel/caller.js'
import { DEFAULT_LIMITS } from '../../src/kernel/limits.js'
import { type PageRequest, Pages } from '../../src/lists/page.js'
import { findStepsOfThreads, stepListing } from '../../src/storage/steps.js'
import { useDomain } from '../support/new-domain.js'

const made = useDomain()
const values = new Values(DEFAULT_LIMITS)
/** Rows of each statement of the last page. */
let portions: number[]
let afterEach: () => Promise<unknown>
beforeEach(() => {
  portions = []
  afterEach = async () => undefined
})
/** Returns an object whose methods are its own but for some. */
const having = <Target extends object>(target: Target, own: Partial<Target>): Target =>
  new Proxy(target, {
    get: (_, name) => {
      const value = Reflect.get(name in own ? own : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

/** Returns the database, with what tells of each statement that read payloads once its connection is free again. */
const observed = (db: Database): Database =>
  having(db, {
    getExecutor: () => {
      const executor = db.getExecutor()
      return having(executor, {
        executeQuery: async (query) => {
          const result = await executor.executeQuery(query)
          const [row] = result.rows
          if (typeof row === 'object' && row !== null && 'output' in row) {
            portions.push(result.rows.length)
            await afterEach()
          }
          return result as never
        },
      })
    },
  })

const fill = async (
  projectId: string,
  sizes: readonly number[],
  { threadId, isBackward = false }: { threadId?: string; isBackward?: boolean } = {},
) => {
  const caller = { projectId, environment: 'prod', scopes: ['admin'] } as unknown as Caller
  const steps = sizes.map((size, index) => ({
    id: `s${String(index).padStart(4, '0')}`,
    type: 'run' as const,
    name: index % 3 === 0 ? 'third' : 'other',
    ...(threadId === undefined ? {} : { threadId }),
    startTime: new Date(Date.UTC(2026, 0, 1) + (isBackward ? -index : index)).toISOString(),
    output: { content: 'x'.repeat(size) },
  }))
  const patches = steps.map((step) => parseStepPatch(values, caller, step))
  expect(await made.domain.ingestion.store(patches)).toEqual(sizes.map(() => null))
}

const read = async (projectId: string, request: PageRequest) => {
  portions = []
  const pages = new Pages(observed(made.db), DEFAULT_LIMITS)
  const page = await pages.read(projectId, stepListing(projectId), request)
  return { ...page, ids: page.rows.map(({ id }) => id) }
}
const idsOf = async (projectId: string, name?: string) => {
  const { rows } = await sql`
    SELECT ${select({ id: s.id })} FROM steps s
    WHERE s.project_id = ${projectId} AND s.name = coalesce(${name ?? null}, s.name) ORDER BY s.created_at`.execute(
    made.db,
  )
  return rows.map(({ id }) => id)
}
const ASCENDING = { column: 'createdAt', direction: 'ASC' } as const

test('a page of large rows is read by many statements, one of small rows by two at most', async () => {
  await fill(
    'large',
    Array.from({ length: 200 }, () => 200_000),
  )
  await fill(
    'small',
    Array.from({ length: 200 }, () => 20),
  )
  const large = await read('large', { first: 200, orderBy: ASCENDING })
  expect(large.ids).toEqual(await idsOf('large'))
  expect(large.hasNextPage).toBe(false)
  // The first rows of a page, and then 4 MB at once.
  expect(portions[0]).toBe(51)
  for (const rows of portions.slice(1)) expect(rows).toBeLessThanOrEqual(20)
  const small = await read('small', { first: 200, orderBy: ASCENDING })
  expect(small.ids).toEqual(await idsOf('small'))
  expect(portions).toEqual([51, 149])
  for (const first of [20, 50]) {
    await read('small', { first })
    expect(portions).toEqual([first + 1])
  }
})

test('rows that a search found are read in portions, and those deleted meanwhile are left out', async () => {
  await fill(
    'searched',
    Array.from({ length: 240 }, () => 200_000),
  )
  const filters = [{ field: 'output', operator: 'ilike', value: 'xxxxxx' }]
  const request = { first: 80, orderBy: ASCENDING, query: 'name:third', filters } as PageRequest
  const whole = await idsOf('searched', 'third')
  expect((await read('searched', request)).ids).toEqual(whole)
  expect(portions.length).toBeGreaterThan(2)
  const gone = [whole[10], whole[79]]
  afterEach = () =>
    sql`DELETE FROM steps WHERE project_id = 'searched' AND id = ANY(${gone})`.execute(made.db)
  expect((await read('searched', request)).ids).toEqual(whole.filter((id) => id !== whole[79]))
})

test('a row that moves while a page is read is in it once, and the next page misses none', async () => {
  await fill(
    'moving',
    Array.from({ length: 160 }, () => 200_000),
  )
  const before = await idsOf('moving')
  afterEach = async () => {
    afterEach = async () => undefined
    await sql`UPDATE steps SET start_time = '2026-01-01T00:00:00.1005Z' WHERE project_id = 'moving' AND id = ${before[3]}`.execute(
      made.db,
    )
  }
  const orderBy = { column: 'startedAt', direction: 'ASC' } as const
  const seen: string[] = []
  let after: string | undefined
  do {
    const page: Awaited<ReturnType<typeof read>> = await read('moving', {
      first: 159,
      after,
      orderBy,
    })
    expect(new Set(page.ids).size).toBe(page.ids.length)
    seen.push(...page.ids)
    after = page.hasNextPage ? page.rows.at(-1)?.cursor : undefined
  } while (after !== undefined)
  expect([...new Set(seen)].sort()).toEqual(before.toSorted())
})

test('the steps of a large thread are read in portions, in their order, without those deleted meanwhile', async () => {
  const readThread = async (types?: string[]) => {
    portions = []
    const rows = await findStepsOfThreads(observed(made.db), 'threads', ['t'], types)
    return rows.map(({ id }) => id)
  }
  await fill('threads', [...Array(150).fill(20)], { threadId: 't' })
  expect(await readThread()).toEqual(await idsOf('threads'))
  expect(portions).toEqual([150])
  await fill('threads', [...Array(5000).fill(20), ...Array(60).fill(200_000)], {
    threadId: 't',
    isBackward: true,
  })
  const whole = (await idsOf('threads')).sort().reverse()
  expect(await readThread()).toEqual(whole)
  expect(await readThread(['run', 'tool'])).toEqual(whole)
  expect(await readThread(['tool'])).toEqual([])
  await readThread()
  expect(portions[0]).toBe(200)
  expect(Math.max(...portions)).toBeLessThanOrEqual(2000)
  expect(portions.reduce((sum, rows) => sum + rows, 0)).toBe(5060)
  const gone = [whole[100], whole[4000]]
  afterEach = () =>
    sql`DELETE FROM steps WHERE project_id = 'threads' AND id = ANY(${gone})`.execute(made.db)
  expect(await readThread()).toEqual(whole.filter((id) => !gone.includes(id)))
})

test('walks in pages and portions of any size return each row once, in one order', async () => {
  let projects = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(10, 10, 60_000, 900_000), { minLength: 52, maxLength: 90 }),
      fc.integer({ min: 30, max: 95 }),
      fc.boolean(),
      async (sizes, size, isBackward) => {
        const project = `walk ${++projects}`
        await fill(project, sizes)
        const seen: string[] = []
        let cursor: string | undefined
        do {
          const range = isBackward ? { last: size, before: cursor } : { first: size, after: cursor }
          const page = await read(project, { ...range, orderBy: ASCENDING })
          if (isBackward) seen.unshift(...page.ids)
          else seen.push(...page.ids)
          cursor = isBackward
            ? page.hasPreviousPage
              ? page.rows[0]?.cursor
              : undefined
            : page.hasNextPage
              ? page.rows.at(-1)?.cursor
              : undefined
        } while (cursor !== undefined)
        expect(seen).toEqual(await idsOf(project))
      },
    ),
    { numRuns: 6 },
  )
})
