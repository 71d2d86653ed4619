import { sql } from 'kysely'
import type { Database } from '../database.js'

/**
 * Makes the statements of a transaction run on one worker after the other: a table that all workers have cannot change
 * after several of them changed rows at once. Has to be the first statement; has no effect on a database that is not
 * distributed.
 */
export const inSequence = async (transaction: Database): Promise<void> => {
  await sql`SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`.execute(transaction)
}

export const hasCitus = async (db: Database): Promise<boolean> => {
  const { rows } = await sql`SELECT 1 FROM pg_extension WHERE extname = 'citus'`.execute(db)
  return rows.length > 0
}

/** Returns true when tables of a database lie on several servers. */
export const isDistributed = async (db: Database): Promise<boolean> => {
  if (!(await hasCitus(db))) return false
  const { rows } = await sql`SELECT 1 FROM pg_dist_partition LIMIT 1`.execute(db)
  return rows.length > 0
}

/** Time after which every process has noticed that a database is distributed. */
export const LATELY_MS = 10_000
const looks = new WeakMap<Database, { at: number; answer: Promise<boolean> }>()

/**
 * Returns what `isDistributed` said within the last ten seconds, so that each request need not ask: for a choice that makes a
 * statement cheaper, and changes nothing that it says. Large tables are distributed when that time is over.
 */
export const wasDistributedLately = (db: Database): Promise<boolean> => {
  const look = looks.get(db)
  if (look !== undefined && performance.now() - look.at < LATELY_MS) return look.answer
  const answer = isDistributed(db)
  looks.set(db, { at: performance.now(), answer })
  answer.catch(() => looks.delete(db))
  return answer
}

/**
 * Returns the numbers of the transactions of others that are open in this database. Each holds a lock on its own, which
 * everybody sees, from its first statement on: other numbers come with the first change, and on a distributed database,
 * where that is made elsewhere, with the commit.
 */
export const findOpenTransactions = async (db: Database): Promise<string[]> => {
  const { rows } = await sql<{ number: string }>`
    SELECT DISTINCT l.virtualtransaction AS number FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'virtualxid' AND a.datname = current_database() AND l.pid <> pg_backend_pid()
      AND a.backend_type IS DISTINCT FROM 'autovacuum worker'`.execute(db)
  return rows.map(({ number }) => number)
}
