import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/database/database.js'
import { Statistics } from '../src/database/statistics.js'

test('the statistics of the embedded database are refreshed when many rows were written, and not before', async () => {
  const db = await openDatabase({ folder: undefined })
  await sql`INSERT INTO threads (project_id, id, created_at)
    SELECT 'p', n::text, now() FROM generate_series(1, 1000) n`.execute(db)
  const known = async () => {
    const { rows } = await sql<{ rows: number }>`
      SELECT reltuples::int AS rows FROM pg_class WHERE oid = 'threads'::regclass`.execute(db)
    return rows[0]?.rows
  }
  const faults: unknown[] = []
  const statistics = new Statistics(db, (error) => faults.push(error), { isServer: false })
  statistics.wrote(999)
  await statistics.idle()
  expect(await known()).toBe(-1)
  statistics.wrote(1)
  await statistics.idle()
  expect(await known()).toBe(1000)
  expect(faults).toEqual([])
  await db.destroy()
})

test('a server that has no statistics yet gets them at each doubling of its steps, and none once it has many', async () => {
  const db = await openDatabase({ folder: undefined })
  const insert = (from: number, to: number) =>
    sql`INSERT INTO steps (project_id, id, type, created_at, ingested, has_generation)
      SELECT 'p', n::text, 'run', now(), true, false FROM generate_series(${from}::int, ${to}::int) n`.execute(
      db,
    )
  const known = async () => {
    const { rows } = await sql<{ rows: number }>`
      SELECT reltuples::int AS rows FROM pg_class WHERE oid = 'steps'::regclass`.execute(db)
    return rows[0]?.rows
  }
  const faults: unknown[] = []
  const statistics = new Statistics(db, (error) => faults.push(error), { isServer: true })
  const write = async (from: number, to: number) => {
    await insert(from, to)
    statistics.wrote(to - from + 1)
    await statistics.idle()
    return known()
  }
  expect(await write(1, 999)).toBe(0)
  expect(await write(1000, 2000)).toBe(2000)
  expect(await write(2001, 3999)).toBe(2000)
  expect(await write(4000, 4000)).toBe(4000)
  await sql`UPDATE pg_class SET reltuples = 200000 WHERE oid = 'steps'::regclass`.execute(db)
  expect(await write(4001, 8000)).toBe(200_000)
  await sql`UPDATE pg_class SET reltuples = 10 WHERE oid = 'steps'::regclass`.execute(db)
  expect(await write(8001, 12_000)).toBe(10)
  expect(faults).toEqual([])
  await db.destroy()
})
