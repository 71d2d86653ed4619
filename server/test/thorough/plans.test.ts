import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/database/database.js'
import { refreshStatistics } from '../../src/database/statistics.js'
import { DomainError } from '../../src/kernel/errors.js'
import type { Filter } from '../../src/lists/conditions.js'
import type { Listing } from '../../src/lists/listing.js'
import { type PageRequest, Pages } from '../../src/lists/page.js'
import { planOf, type Query } from '../../src/lists/plan.js'
import { search } from '../../src/lists/search.js'
import { stepListing } from '../../src/storage/steps.js'
import { threadListing } from '../../src/storage/threads.js'
import { participantListing } from '../../src/storage/users.js'
import { filtersOf, LISTS, ordersOf } from '../support/lists.js'
import { newDatabase } from '../support/new-database.js'

// The cost of each page, by the engine's own figures: when a statement reads more of a table than a window, its time
// grows with the table. The portions of a search are small here, so that a small table shows it.
const PORTIONS = {
  firstWindow: 20,
  largestWindow: 50,
  probeAfterRows: 200,
  maxCandidates: 60,
  sorted: 20_000,
}
const LIMITS = { searchRows: 100_000, searchMs: 60_000 }
const STEPS = 9000
const STEPS_A_THREAD = 4
/** A window of threads, or of participants, with all that belongs to them. */
const MAX_ROWS = PORTIONS.largestWindow * 4 * STEPS_A_THREAD

/**
 * Both engines plan alike, and explaining each plan takes minutes: all plans on a server, or the share that CI asks for, always
 * others; a sample on the embedded one.
 */
const IS_WHOLE = Boolean(process.env.STEPWELL_TEST_DATABASE)
const SHARE = IS_WHOLE ? Number(process.env.STEPWELL_PLANS ?? 1) : 0.04
const someOf = <Request>(requests: readonly Request[]): readonly Request[] =>
  requests.filter(() => Math.random() < SHARE)

/** The lists run at once, which takes minutes; on a busy machine they only wait. */
const MAX_MS = 1_800_000

const PROJECT = 'p'
let database: { db: Database; end: () => Promise<void> }
let pages: Pages

/** Wraps the database, to record each statement. */
const noted = (db: Database, statements: CompiledQuery[]): Database => {
  const executor = db.getExecutor()
  const proxy = new Proxy(executor, {
    get: (target, property) =>
      property === 'executeQuery'
        ? (query: CompiledQuery) => {
            statements.push(query)
            return target.executeQuery(query)
          }
        : Reflect.get(target, property).bind?.(target),
  })
  return { getExecutor: () => proxy } as Database
}

beforeAll(async () => {
  const { location, drop } = await newDatabase()
  const db = await openDatabase(location)
  database = { db, end: () => db.destroy().then(drop) }
  // These tables stand for large ones. A server that has vacuumed them in the meantime rightly reads an index of 4,500
  // entries whole, rather than looking 170 of them up.
  for (const table of ['participants', 'threads', 'steps', 'scores'])
    await sql`ALTER TABLE ${sql.id(table)} SET (autovacuum_enabled = false)`.execute(db)
  await fill(db)
  await refreshStatistics(db)
  pages = new Pages(db, LIMITS)
})
afterAll(() => database?.end())

/** Inserts rows of two projects; in each field one value that most rows have, one that few have, and none. */
const fill = async (db: Database) => {
  const at = (n: string) => `timestamptz '2026-01-01' + (${n}) * interval '1 second'`
  for (const project of [PROJECT, 'other']) {
    const count = project === PROJECT ? STEPS : 1000
    const statements = [
      `INSERT INTO participants (project_id, id, identifier, metadata, created_at)
       SELECT '${project}', 'u' || n, 'user ' || n, json_build_object('n', n), ${at('n')} FROM generate_series(1, ${count / 40}) n`,
      `INSERT INTO threads (project_id, id, name, metadata, tags, participant_id, environment, created_at, started_at, token_count, duration, last_activity_at, last_tools, error_count)
       SELECT '${project}', 't' || n, CASE WHEN n % 1500 = 7 THEN 'rare' ELSE 'often' END, json_build_object('n', n),
         CASE WHEN n % 1500 = 7 THEN '{rare}'::text[] ELSE '{often}' END, CASE WHEN n % 5 > 0 THEN 'u' || (n % ${count / 40} + 1) END,
         CASE WHEN n % 1500 = 7 THEN 'dev' ELSE 'prod' END, ${at(`n * ${STEPS_A_THREAD}`)}, CASE WHEN n % 3 > 0 THEN ${at(`n * 7919 % ${count}`)} END,
         nullif(n % 1000, 0), nullif(n % 1000, 0) / 7.0, CASE WHEN n % 7 > 0 THEN ${at(`n * ${STEPS_A_THREAD} + 60`)} END,
         CASE WHEN n % 1500 = 9 THEN '{rare}'::text[] END, CASE WHEN n % 1500 = 7 THEN 1 ELSE 0 END
       FROM generate_series(1, ${count / STEPS_A_THREAD}) n`,
      `INSERT INTO steps (project_id, id, thread_id, root_run_id, parent_id, participant_id, type, name, start_time, end_time,
         created_at, input, output, metadata, error, tags, environment, ingested, has_generation, gen_model, gen_provider,
         gen_prompt_id, gen_token_count, gen_duration, gen_error, gen_tags, gen_completion)
       SELECT '${project}', 's' || n, CASE WHEN n % 6 > 0 THEN 't' || (n / ${STEPS_A_THREAD} + 1) END, 's' || (n / 4 * 4), 's' || (n / 2 * 2),
         CASE WHEN n % 5 > 0 THEN 'u' || (n / 4 % ${count / 40} + 1) END, CASE WHEN r THEN 'rerank' ELSE 'run' END,
         CASE WHEN r THEN 'rare' ELSE 'often' END, CASE WHEN n % 3 > 0 THEN ${at(`n * 7919 % ${count}`)} END, ${at('n + 1')}, ${at('n')},
         json_build_object('content', n), json_build_object('content', CASE WHEN r THEN 'rare' ELSE 'often' END),
         json_build_object('n', n), CASE WHEN r THEN 'boom' END, CASE WHEN r THEN '{rare}'::text[] ELSE '{often}' END,
         CASE WHEN r THEN 'dev' ELSE 'prod' END, true, n % 2 = 0, CASE WHEN r THEN 'rare' ELSE 'often' END,
         CASE WHEN r THEN 'rare' ELSE 'often' END, CASE WHEN r THEN 'v1' WHEN n % 2 = 0 THEN 'v0' END, n % 1000, nullif(n % 1000, 0) / 7.0,
         CASE WHEN r THEN 'boom' END, CASE WHEN r THEN '{rare}'::text[] END, 'done'
       FROM (SELECT n, n % 2500 = 8 AS r FROM generate_series(1, ${count}) n) AS numbers`,
      `INSERT INTO scores (project_id, id, step_id, name, type, value, label, comment, scorer, tags, created_at, updated_at)
       SELECT '${project}', 'c' || n, 's' || (n * 2), CASE WHEN r THEN 'rare' ELSE 'often' END, CASE WHEN r THEN 'HUMAN' ELSE 'AI' END,
         n % 1000, CASE WHEN r THEN 'rare' END, CASE WHEN r THEN 'rare' END, CASE WHEN r THEN 'rare' ELSE 'often' END,
         CASE WHEN r THEN '{rare}'::text[] END, ${at('n')}, ${at('n')}
       FROM (SELECT n, n % 2500 = 8 AS r FROM generate_series(1, ${count / 2}) n) AS numbers`,
      `INSERT INTO prompt_lineages (project_id, id, name, created_at) VALUES ('${project}', 'l', 'rare', now())`,
      `INSERT INTO prompt_versions (project_id, id, lineage_id, version, template_messages, variables, created_at)
       SELECT '${project}', 'v' || n, 'l', n, '[]', '[]', now() FROM generate_series(0, 1) n`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  }
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: PlanNode[]
}

/** Returns the most rows that some part of a statement read, and that part. */
const costliest = (node: PlanNode): { rows: number; part: string } => {
  const rows =
    node['Actual Loops'] *
    (node['Actual Rows'] +
      (node['Rows Removed by Filter'] ?? 0) +
      (node['Rows Removed by Join Filter'] ?? 0) +
      (node['Rows Removed by Index Recheck'] ?? 0))
  return (node.Plans ?? []).map(costliest).reduce((a, b) => (b.rows > a.rows ? b : a), {
    rows,
    part: `${node['Node Type']} ${node['Relation Name'] ?? ''}`,
  })
}

const explained = async (query: CompiledQuery): Promise<PlanNode> => {
  const { rows } = await database.db.executeQuery<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    CompiledQuery.raw(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${query.sql}`, [
      ...query.parameters,
    ]),
  )
  return (rows[0]?.['QUERY PLAN'][0] as { Plan: PlanNode }).Plan
}

const brief = (node: PlanNode, depth = 0): string => {
  const { Plans = [], ...own } = node
  const shown = Object.entries(own).filter(([, value]) => value !== 0)
  return [
    `${' '.repeat(depth)}${JSON.stringify(Object.fromEntries(shown))}`,
    ...Plans.map((plan) => brief(plan, depth + 2)),
  ].join('\n')
}

/** Expects that none of the statements read more rows than that. */
const expectBounded = async (what: string, statements: readonly CompiledQuery[], most: number) => {
  for (const query of statements) {
    // Bounded by time, and tried only where no index alone leads to few rows.
    if (query.sql.startsWith('EXPLAIN') || query.sql.includes('/* in time */')) continue
    const plan = await explained(query)
    const { rows, part } = costliest(plan)
    if (rows > most || JSON.stringify(plan).includes('"Seq Scan"'))
      throw new Error(`${what}: ${rows} rows of ${part}\n${query.sql}\n${brief(plan)}`)
  }
}

/** Returns the two ways to continue from a row in the middle of the list. */
const cursorsOf = async (listing: Listing, orderBy: PageRequest['orderBy']) => {
  const { rows } = await pages.read(PROJECT, listing, { first: 1, skip: 100, orderBy })
  const cursor = rows[0]?.cursor
  return [{ first: 10 }, { first: 10, after: cursor }, { last: 10, before: cursor }]
}

/** Pairs of conditions that the planner once expected so few rows of that it read another index than the order's. */
const NOTED_PAIRS: Record<string, Filter[][]> = {
  steps: [
    [
      { field: 'participantIdentifier', operator: 'ilike', value: 'user 3' },
      { field: 'score', operator: 'nis', value: null },
    ],
  ],
  threads: [
    [
      { field: 'duration', operator: 'is', value: null },
      { field: 'participantId', operator: 'nis', value: null },
    ],
  ],
}

/** A search may give up, but must not have read more because of it. */
const givenUp = (error: unknown) => {
  if (!(error instanceof DomainError && error.code === 'TOO_LARGE')) throw error
}

// At once, so that a server plans on each of its cores.
describe.concurrent.each(Object.keys(LISTS))('a page of %s', (name) => {
  const listing = (LISTS[name] as (projectId: string) => Listing<{ id: string }>)(PROJECT)
  const filters = filtersOf(listing)

  test(
    'reads a bounded part of the tables, with any conditions, order and cursor',
    async () => {
      const statements: CompiledQuery[] = []
      const db = noted(database.db, statements)
      const noting = new Pages(db, { ...LIMITS, searchRows: 200 }, PORTIONS)
      const pairs = fc.sample(
        fc.tuple(fc.constantFrom(...filters), fc.constantFrom(...filters)),
        40,
      )
      for (const orderBy of ordersOf(listing)) {
        const most = listing.orders[orderBy.column]?.isIndexed ? MAX_ROWS : PORTIONS.sorted
        const ways = await cursorsOf(listing, orderBy)
        const requestsOf = (all: readonly (readonly Filter[])[]) =>
          all.flatMap((chosen) => ways.map((way) => ({ ...way, orderBy, filters: chosen })))
        const requests = requestsOf([[], ...filters.map((filter) => [filter]), ...pairs])
        for (const request of [...requestsOf(NOTED_PAIRS[name] ?? []), ...someOf(requests)]) {
          await noting.read(PROJECT, listing, request).catch(givenUp)
          await expectBounded(JSON.stringify(request), statements.splice(0), most)
        }
      }
    },
    MAX_MS,
  )

  test(
    'is the same for any size of the search’s portions',
    async () => {
      const large = new Pages(database.db, LIMITS)
      const small = new Pages(database.db, LIMITS, {
        ...PORTIONS,
        largestWindow: 400,
        maxCandidates: 300,
      })
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(...filters), { minLength: 1, maxLength: 3 }),
          fc.constantFrom(...ordersOf(listing)),
          fc.nat(2),
          async (chosen, orderBy, way) => {
            const request = {
              ...(await cursorsOf(listing, orderBy))[way],
              filters: chosen,
              orderBy,
            }
            const expected = await large.read(PROJECT, listing, request)
            const found = await small.read(PROJECT, listing, request)
            expect(found.rows.map(({ id }) => id)).toEqual(expected.rows.map(({ id }) => id))
            expect(found.hasNextPage).toBe(expected.hasNextPage)
            expect(await found.count()).toBe(await expected.count())
          },
        ),
        { numRuns: IS_WHOLE ? 60 : 6 },
      )
    },
    MAX_MS,
  )
})

/** Conditions as text: with alternatives, on related rows, and on starts, which are shuffled against creation here. */
const QUERIES: Record<string, readonly string[]> = {
  steps: [
    'name=rare OR type=rerank',
    '(name=rare OR error:any) env=dev',
    'time>2026-01-01T01:00:00Z time<2026-01-01T01:10:00Z',
    'time>2026-01-01T02:00:00Z name=rare',
    'start>2026-01-01T02:20:00Z start<2026-01-01T02:21:00Z',
    'score[rare]>0 OR name=rare',
  ],
  generations: [
    'model=rare OR prompt=v1',
    'time>2026-01-01T01:00:00Z time<2026-01-01T01:10:00Z',
    'time>2026-01-01T02:00:00Z (model=rare OR error:any)',
  ],
  threads: [
    'name=rare OR tags:rare',
    'error:any',
    'error:any env=prod time>2026-01-01T01:00:00Z',
    'any(name=rare)',
    'any(type=rerank error:any) OR name=rare',
    'any(name=rare) any(error:any) env=prod',
    'time>2026-01-01T01:00:00Z time<2026-01-01T01:10:00Z',
    'time>2026-01-01T01:00:00Z any(name=rare)',
    'time<2026-01-01T00:01:00Z OR any(error:any)',
  ],
}

describe.concurrent.each(Object.entries(QUERIES))('a page of %s by a query', (name, queries) => {
  const listing = (LISTS[name] as (projectId: string) => Listing<{ id: string }>)(PROJECT)
  const orders = ordersOf(listing).filter(({ column }) => /^(createdAt|startedAt)$/.test(column))

  test(
    'reads a bounded part of the tables by indexes, by alternatives, related rows and starts',
    async () => {
      expect(orders.length).toBeGreaterThan(1)
      const statements: CompiledQuery[] = []
      const db = noted(database.db, statements)
      const noting = new Pages(db, { ...LIMITS, searchRows: 200 }, PORTIONS)
      for (const orderBy of orders) {
        const ways = await cursorsOf(listing, orderBy)
        for (const query of queries)
          for (const way of IS_WHOLE ? ways : ways.slice(0, 1)) {
            const request = { ...way, orderBy, query }
            await noting.read(PROJECT, listing, request).catch(givenUp)
            expect(statements.length).toBeGreaterThan(0)
            await expectBounded(JSON.stringify(request), statements.splice(0), MAX_ROWS)
          }
      }
    },
    MAX_MS,
  )
})

describe('a search without any result', () => {
  const nothing = [{ field: 'output', operator: 'ilike', value: `nothing has ${randomUUID()}` }]
  const steps = stepListing(PROJECT)

  test('gives up after the rows that it may read, with a reason', async () => {
    const findCandidates = new Pages(database.db, { ...LIMITS, searchRows: 500 }, PORTIONS)
    await expect(findCandidates.read(PROJECT, steps, { filters: nothing })).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringMatching(/^filters: no match among the 5\d\d rows/),
    })
  })

  test('gives up after its time limit', async () => {
    const short = new Pages(database.db, { ...LIMITS, searchMs: 0 }, PORTIONS)
    await expect(short.read(PROJECT, steps, { filters: nothing })).rejects.toMatchObject({
      code: 'TOO_LARGE',
    })
  })

  test('returns earlier results if there are any, and continues after them', async () => {
    const findCandidates = new Pages(database.db, { ...LIMITS, searchRows: 3000 }, PORTIONS)
    const rare = [{ field: 'output', operator: 'ilike', value: 'rare', path: 'content' }]
    const page = await findCandidates.read(PROJECT, steps, { filters: rare })
    expect(page.rows.map(({ id }) => id)).toEqual(['s7508'])
    expect(page.hasNextPage).toBe(true)
    const next = await findCandidates.read(PROJECT, steps, {
      filters: rare,
      after: page.rows[0]?.cursor,
    })
    expect(next.rows.map(({ id }) => id)).toEqual(['s5008'])
  })
})

test('a search through rows that are dear to look at has found what was near when its time is over', async () => {
  // Some milliseconds each, so that no statement comes through all of them.
  const isDear = sql<boolean>`(SELECT count(*) FROM generate_series(1, 60000) n WHERE n + length(s.id) > 0) > 0`
  const listing = stepListing(PROJECT)
  const order = Object.values(listing.orders).find(({ isIndexed }) => isIndexed)
  if (order === undefined) throw new Error('expected an order')
  const query = {
    listing,
    projectId: PROJECT,
    column: 'createdAt',
    order,
    isAscending: true,
    criteria: [{ test: sql`CASE WHEN ${isDear} THEN s.id = 's3' END` }],
  } as unknown as Query
  const find = (windowMs: number | undefined) =>
    search(
      database.db,
      query,
      planOf(query),
      2,
      { searchRows: 100_000, searchMs: 3000 },
      {
        ...PORTIONS,
        firstWindow: 4000,
        largestWindow: 4000,
        probeAfterRows: 1_000_000,
        ...(windowMs === undefined ? {} : { windowMs }),
      },
    )
  const found = await find(200)
  expect(found).toMatchObject({ isComplete: false, positions: [{ id: 's3' }] })
  expect(await find(undefined)).toMatchObject({ isComplete: false, positions: [] })
})

test('more rows than are sorted at once have no order that no index has', async () => {
  const small = new Pages(database.db, LIMITS, { ...PORTIONS, sorted: 100 })
  const orderBy = { column: 'participant', direction: 'ASC' } as const
  await expect(small.read(PROJECT, threadListing(PROJECT), { orderBy })).rejects.toMatchObject({
    code: 'TOO_LARGE',
    message: expect.stringContaining('orderBy.column: at most 100 rows are sorted by participant'),
  })
  const filters = [{ field: 'participantIdentifiers', operator: 'in', value: ['user 3'] }]
  const page = await small.read(PROJECT, threadListing(PROJECT), { orderBy, filters })
  expect(page.rows.length).toBeGreaterThan(0)
  const bySum = { column: 'cost', direction: 'DESC' } as const
  await expect(
    small.read(PROJECT, participantListing(PROJECT), { orderBy: bySum }),
  ).rejects.toMatchObject({
    code: 'TOO_LARGE',
    message: expect.stringContaining('orderBy.column: at most 100 rows are sorted by cost'),
  })
})
