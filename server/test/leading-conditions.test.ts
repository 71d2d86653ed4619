import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../../test/support/runs.js'
import { type Database, openDatabase } from '../src/database/database.js'
import { refreshStatistics } from '../src/database/statistics.js'
import type { Filter } from '../src/lists/conditions.js'
import { Pages } from '../src/lists/page.js'
import { stepListing } from '../src/storage/steps.js'
import { newDatabase } from './support/new-database.js'

// Few rows may be looked at, so that a page or a count that reads others than those of the index gives up.
const LIMITS = { searchRows: 100, searchMs: 60_000 }
const PORTIONS = {
  firstWindow: 20,
  largestWindow: 50,
  probeAfterRows: 40,
  maxCandidates: 30,
  sorted: 1000,
}
const STEPS = 6000
const LONG = 'n'.repeat(250)
const NAMES = ['call', 'reply', `${LONG}1`, `${LONG}2`]
const ERRORS = [null, null, null, 'time-out', 'no such tool']

interface Row {
  id: string
  name: string
  error: string | null
  thread: string | null
  at: number
}
const rows: Row[] = Array.from({ length: STEPS }, (_, n) => ({
  id: `s${String(n).padStart(5, '0')}`,
  name: NAMES[n % 7 === 3 ? n % NAMES.length : 0] ?? '',
  error: ERRORS[((n * 31) % 37) % ERRORS.length] ?? null,
  thread: n % 120 === 5 ? 'long' : null,
  at: (n * 7919) % STEPS,
}))

let database: { db: Database; end: () => Promise<void> }
let pages: Pages
const steps = stepListing('p')

beforeAll(async () => {
  const { location, drop } = await newDatabase()
  const db = await openDatabase(location)
  database = { db, end: () => db.destroy().then(drop) }
  await sql`
    INSERT INTO steps (project_id, id, type, name, error, thread_id, start_time, created_at, metadata, ingested, has_generation)
    SELECT 'p', r.id, 'tool', r.name, r.error, r.thread, timestamptz '2026-01-01' + r.at * interval '1 second', timestamptz '2026-01-02', '{}', true, false
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r (id text, name text, error text, thread text, at integer)`.execute(
    db,
  )
  await refreshStatistics(db)
  pages = new Pages(db, LIMITS, PORTIONS)
})
afterAll(() => database?.end())

const hasFailed = { field: 'error', operator: 'nis', value: null }
const named = (name: string) => ({ field: 'name', operator: 'eq', value: name })

test.each(['filters', 'a query'])(
  'the steps of a thread are found by %s, although all steps have the type',
  async (by) => {
    const filters = [
      { field: 'type', operator: 'eq', value: 'tool' },
      { field: 'threadId', operator: 'eq', value: 'long' },
    ]
    const conditions = by === 'a query' ? { query: 'type=tool thread=long' } : { filters }
    const orderBy = { column: 'startedAt', direction: 'ASC' as const }
    const page = await pages.read('p', steps, { ...conditions, orderBy, first: 100 })
    const expected = rows.filter(({ thread }) => thread !== null).sort((a, b) => a.at - b.at)
    expect(page.rows.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
    expect(expected.length).toBeGreaterThan(PORTIONS.maxCandidates)
  },
)

test('failed steps of a name are counted exactly, however many others failed or have the name', async () => {
  const filters = [named('call'), hasFailed]
  const expected = rows.filter(({ name, error }) => name === 'call' && error !== null)
  const page = await pages.read('p', steps, { filters, first: 5 })
  expect(await page.count()).toBe(expected.length)
  expect(expected.length).toBeGreaterThan(LIMITS.searchRows)
})

test('pages of failed steps of a name have what a plain look finds, in both directions, from any place', async () => {
  const error = fc.constantFrom<Filter & { holds: (error: string | null) => boolean }>(
    { ...hasFailed, holds: (text) => text !== null },
    { field: 'error', operator: 'is', value: null, holds: (text) => text === null },
    { field: 'error', operator: 'eq', value: 'time-out', holds: (text) => text === 'time-out' },
    { field: 'error', operator: 'ilike', value: 'TOOL', holds: (text) => !!text?.includes('tool') },
  )
  const plain = new Pages(database.db, { searchRows: STEPS, searchMs: 60_000 })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...NAMES, 'nobody'),
      error,
      fc.boolean(),
      fc.constantFrom<'ASC' | 'DESC'>('ASC', 'DESC'),
      fc.integer({ min: 1, max: 40 }),
      async (name, { holds, ...condition }, isNameFirst, direction, first) => {
        const filters = isNameFirst ? [named(name), condition] : [condition, named(name)]
        const sign = direction === 'ASC' ? 1 : -1
        const expected = rows
          .filter((row) => row.name === name && holds(row.error))
          .sort((a, b) => sign * (a.at - b.at))
          .map(({ id }) => id)
        const orderBy = { column: 'startedAt', direction }
        const one = await plain.read('p', steps, { filters, orderBy, first })
        expect(one.rows.map(({ id }) => id)).toEqual(expected.slice(0, first))
        const after = one.rows.at(-1)?.cursor
        if (after === undefined) return
        const next = await plain.read('p', steps, { filters, orderBy, first, after })
        expect(next.rows.map(({ id }) => id)).toEqual(expected.slice(first, 2 * first))
      },
    ),
    { numRuns: runs(200) },
  )
})
