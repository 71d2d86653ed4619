import type { Database } from '../../database/database.js'
import { isLocked } from '../../database/failures.js'
import { givingWay } from '../../database/transactions/attempts.js'
import { conflict } from '../../kernel/errors.js'

/**
 * Changes the tables of a service that goes on. Waits for others in short portions: all requests, reads too, wait behind a
 * change of a table, and an export reads for hours.
 *
 * @throws DomainError `CONFLICT` when others use the tables for seconds.
 */
export const changeTables = async (
  db: Database,
  work: (transaction: Database) => Promise<void>,
): Promise<void> => {
  try {
    await givingWay(db, work)
  } catch (error) {
    if (!isLocked(error)) throw error
    throw conflict(
      'move: a long transaction uses the tables, such as that of an export or of pg_dump; nothing was changed. Run the command again when it has ended',
      error,
    )
  }
}
