import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../database.js'
import { findOpenTransactions } from './cluster.js'

const CHECK_EVERY_MS = 100

/** Ends the marking of rows, as distributed tables have no triggers: metrics are then measured from rows. */
export const endMarking = async (db: Database): Promise<void> => {
  const { rows } = await sql<{ name: string; table: string }>`
    SELECT tgname::text AS name, tgrelid::regclass::text AS table FROM pg_trigger
    WHERE tgrelid IN ('steps'::regclass, 'threads'::regclass) AND tgname ~ '^mark_'`.execute(db)
  for (const { name, table } of rows)
    await sql`DROP TRIGGER ${sql.ref(name)} ON ${sql.table(table)}`.execute(db)
}

/** Deletes what was measured ahead, also by transactions that began before the marking ended. */
export const removeMeasured = async (db: Database, say: (line: string) => void): Promise<void> => {
  const remove = async () => {
    for (const table of ['rollup_fills', 'rollup_marks', 'rollups'])
      await sql`DELETE FROM ${sql.table(table)}`.execute(db)
  }
  await remove()
  const awaited = new Set(await findOpenTransactions(db))
  if (awaited.size > 0) say('waits for the end of transactions that began before')
  while ((await findOpenTransactions(db)).some((one) => awaited.has(one)))
    await wait(CHECK_EVERY_MS)
  await remove()
}
