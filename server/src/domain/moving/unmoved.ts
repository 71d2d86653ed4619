import type { Database } from '../../database/database.js'
import { ignoreWrites } from '../../storage/moving/changes.js'
import { findMove, removeMove } from '../../storage/moving/moves.js'
import { wholeTables } from '../../storage/moving/whole.js'
import { changeTables } from './change-tables.js'

/** Ends a move that is not wanted any more: the source forgets it. */
export const abandonMove = async (db: Database): Promise<boolean> => {
  const move = await findMove(db)
  if (move?.role !== 'source') return false
  const tables = await wholeTables(db)
  await changeTables(db, async (transaction) => {
    await removeMove(transaction)
    await ignoreWrites(transaction, tables)
  })
  return true
}

/**
 * Rejects a database that was moved elsewhere, or that a move has not completed.
 *
 * @throws Error with the remedy.
 */
export const demandUnmoved = async (db: Database): Promise<void> => {
  const move = await findMove(db)
  if (move?.role === 'target')
    throw new Error(
      `the database is the copy of a move from ${move.place} that is not complete; run stepwell move again, or name another database`,
    )
  if (move?.state === 'moved')
    throw new Error(
      `the data was moved to ${move.place}; start the service there. stepwell move --abandon makes it serve the data of before the move again`,
    )
}
