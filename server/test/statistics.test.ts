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
  const statistics = new Statistics(db, (error) => faults.push(error))
  statistics.wrote(999)
  await statistics.idle()
  expect(await known()).toBe(-1)
  statistics.wrote(1)
  await statistics.idle()
  expect(await known()).toBe(1000)
  expect(faults).toEqual([])
  await db.destroy()
})
