import { CompiledQuery, sql } from 'kysely'
import { expect, test } from 'vitest'
import { UserSums } from '../src/domain/user-sums.js'
import type { Caller } from '../src/kernel/caller.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { Pages } from '../src/lists/page.js'
import { SEARCH_SIZES } from '../src/lists/sizes.js'
import { participantListing } from '../src/storage/users.js'
import { useDomain } from './support/new-domain.js'
import { settle } from './support/settle.js'
import { watched } from './support/watched.js'

const made = useDomain()

// Workers of a cluster keep no sums: the users there are summed up for each page.
const isOnCluster = Boolean(process.env.STEPWELL_TEST_WORKERS)

const USERS = 2000
/** More users than that are sorted by no list. */
const SORTED = 50

/** Creates users, of whom the last ones have most threads; all have as many tokens. */
const fill = async (projectId: string) => {
  await sql`INSERT INTO participants (project_id, id, identifier, metadata, created_at)
    SELECT ${projectId}, lpad(n::text, 5, '0'), n::text, '{}', now() FROM generate_series(1, ${USERS}::int) n`.execute(
    made.db,
  )
  await sql`INSERT INTO threads (project_id, id, created_at, participant_id)
    SELECT ${projectId}, n || ' ' || m, now(), lpad(n::text, 5, '0')
    FROM generate_series(${USERS - 9}::int, ${USERS}::int) n CROSS JOIN LATERAL generate_series(1, n - ${USERS - 10}::int) m`.execute(
    made.db,
  )
  await settle(new UserSums(made.db, { quietSeconds: 0, restFactor: 0 }))
  await sql`ANALYZE participant_sums`.execute(made.db)
}

const SIZES = { ...SEARCH_SIZES, sorted: SORTED }

const read = async (
  projectId: string,
  request: Parameters<Pages['read']>[2],
  db = made.db,
): Promise<string[]> => {
  const listing = participantListing(projectId)
  const { rows } = await new Pages(db, DEFAULT_LIMITS, SIZES).read(projectId, listing, request)
  return rows.map(({ id }) => id)
}

const BY_THREADS = { column: 'threadCount', direction: 'DESC' } as const

test.skipIf(isOnCluster)(
  'more users than a list sorts are in an order by sums, with those whose sums are out of date',
  async () => {
    await fill('many')
    const first = ['02000', '01999', '01998']
    expect(await read('many', { first: 3, orderBy: BY_THREADS })).toEqual(first)
    await sql`INSERT INTO threads (project_id, id, created_at, participant_id)
      SELECT 'many', 'more ' || n, now(), '00007' FROM generate_series(1, 9) n`.execute(made.db)
    // As many as user 1999, and so before it by the id.
    expect(await read('many', { first: 4, orderBy: BY_THREADS })).toEqual([
      '02000',
      '01999',
      '00007',
      '01998',
    ])
    await expect(
      read('many', { first: 3, orderBy: BY_THREADS, query: 'identifier~0' }),
    ).rejects.toThrow(`at most ${SORTED} rows are sorted by threadCount`)
  },
)

test.skipIf(isOnCluster)(
  'where more users than a list sorts have sums that are out of date, it says so',
  async () => {
    await fill('stale')
    await sql`UPDATE threads SET token_count = 1 WHERE project_id = 'stale'`.execute(made.db)
    expect(await read('stale', { first: 1, orderBy: BY_THREADS })).toEqual(['02000'])
    await sql`INSERT INTO participants (project_id, id, identifier, metadata, created_at)
      SELECT 'stale', 'new ' || n, 'new ' || n, '{}', now() FROM generate_series(1, ${SORTED}::int) n`.execute(
      made.db,
    )
    await expect(read('stale', { first: 1, orderBy: BY_THREADS })).rejects.toThrow(
      `at most ${SORTED} rows are sorted by threadCount`,
    )
  },
)

test('a user who was deleted just now has no place in an order by sums', async () => {
  const caller = { projectId: 'gone', environment: 'prod', scopes: ['admin'] } as unknown as Caller
  const { users, threads } = made.domain
  const { id } = await users.create(caller, { identifier: 'stays' })
  const { id: gone } = await users.create(caller, { identifier: 'goes' })
  await threads.upsert(caller, 't', { participantId: id })
  await users.delete(caller, gone)
  const page = await new Pages(made.db, DEFAULT_LIMITS, SIZES).read<{ id: string }>(
    'gone',
    participantListing('gone'),
    { first: 1, orderBy: { column: 'threadCount', direction: 'ASC' } },
  )
  expect(page).toMatchObject({ rows: [{ id }], hasNextPage: false })
})

test.skipIf(isOnCluster).each([
  ['threadCount', 'threads'],
  ['tokenCount', 'tokens'],
  ['errorCount', 'errors'],
  ['cost', 'cost'],
  ['firstEngaged', 'first'],
  ['lastEngaged', 'last'],
])('users by %s come from an index, either way and behind any of them', async (column, index) => {
  const projectId = `by ${column}`
  await fill(projectId)
  for (const direction of ['ASC', 'DESC'] as const) {
    const orderBy = { column, direction }
    const listing = participantListing(projectId)
    const page = await new Pages(made.db, DEFAULT_LIMITS, SIZES).read(projectId, listing, {
      first: 5,
      orderBy,
    })
    for (const after of [undefined, page.rows.at(-1)?.cursor]) {
      const plans: string[] = []
      const db = watched(made.db, async (statement, parameters) => {
        if (!statement.includes('AS is_marked')) return
        const { rows } = await made.db.executeQuery<{ 'QUERY PLAN': string }>(
          CompiledQuery.raw(`EXPLAIN ${statement}`, [...parameters]),
        )
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
      })
      await read(projectId, { first: 5, after, orderBy }, db)
      const [plan] = plans
      expect(plan).toMatch(
        new RegExp(`Index (Only )?Scan (Backward )?using participant_sums_${index} `),
      )
      expect(plan).not.toContain('Sort Key: (COALESCE')
    }
  }
})
