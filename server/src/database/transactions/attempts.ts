import { sql } from 'kysely'
import type { Database } from '../database.js'
import { isConflict, isLocked } from '../failures.js'

const MAX_ATTEMPTS = 5
/**
 * Times that work which gives way waits for locked rows, in milliseconds: the first, and the longest, which is shorter than
 * the second after which databases look for circles. Then they would end a transaction, and maybe the other one.
 */
const FIRST_WAIT_MS = 25
const LONGEST_WAIT_MS = 800
/** Time after which it gives up. */
export const PATIENCE_MS = 6400

/** Runs a transaction again when it conflicted with others that lock the same rows in another order: five times at most. */
export const inAttempts = async <Result>(transaction: () => Promise<Result>): Promise<Result> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await transaction()
    } catch (error) {
      if (!isConflict(error) || attempt >= MAX_ATTEMPTS) throw error
    }
}

/** Runs work in the transaction that there is, or else in one of its own, again when it conflicted with others. */
export const inTransaction = <Result>(
  db: Database,
  work: (transaction: Database) => Promise<Result>,
): Promise<Result> =>
  db.isTransaction ? work(db) : inAttempts(() => db.transaction().execute(work))

/** Makes a transaction fail instead of waiting longer than this for rows that another one has locked. */
export const limitLockWait = (db: Database, ms: number): Promise<unknown> =>
  sql`SET LOCAL lock_timeout = ${sql.lit(ms)}`.execute(db)

/**
 * Runs a transaction that lets go of its rows when others hold the next one, and begins again: those that wait for it in
 * a circle go on at once, where the database would look for circles after a second. Waits twice as long each time.
 * @throws DomainError when the rows are held for longer than the patience, of six seconds if none is given.
 */
export const givingWay = async <Result>(
  db: Database,
  work: (transaction: Database) => Promise<Result>,
  patienceMs = PATIENCE_MS,
): Promise<Result> => {
  const end = performance.now() + patienceMs
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS))
    try {
      return await db.transaction().execute(async (transaction) => {
        await limitLockWait(transaction, waitMs)
        return work(transaction)
      })
    } catch (error) {
      if (!isHeld(error) || performance.now() > end) throw error
    }
}

/** Returns true for an error of work that gave way, as others held its rows all the time. */
export const isHeld = (error: unknown): boolean => isLocked(error) || isConflict(error)
