import type { Database } from './database.js'
import { cast } from './rows/columns.js'
import { select, sql } from './rows/sql.js'

/**
 * Returns the numbers of the transactions of others that are open in this database. Each holds a lock on its own, which
 * everybody sees, from its first statement on: other numbers come with the first change, and on a distributed database,
 * where that is made elsewhere, with the commit.
 */
export const findOpenTransactions = async (db: Database): Promise<string[]> => {
  const number = cast('text', sql`l.virtualtransaction`)
  const { rows } = await sql`
    SELECT DISTINCT ${select({ number })} FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'virtualxid' AND a.datname = current_database() AND l.pid <> pg_backend_pid()
      AND a.backend_type IS DISTINCT FROM 'autovacuum worker'`.execute(db)
  return rows.map(({ number }) => number)
}
