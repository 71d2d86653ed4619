import type { Database } from '../../database/database.js'
import { inTransaction } from '../../database/transactions/attempts.js'
import { PortionSize } from '../erasure/portion-size.js'

/** Steps that are changed or deleted at once, with what they belong to. More of them go ahead, in portions. */
export const AT_ONCE = 500

/** The time of a portion. Requests wait for it, on the embedded engine all of them. */
const PACE = { most: 200, least: 50, shortMs: 25, longMs: 80 }

/**
 * Does work in transactions of a number of rows each, between which others get their turn, until one returns false.
 * `from` is the number of rows of the earlier ones.
 */
export const inPortions = async (
  db: Database,
  portion: (transaction: Database, most: number, from: number) => Promise<boolean>,
): Promise<void> => {
  const size = new PortionSize(PACE)
  let from = 0
  for (let isMore = true; isMore; ) {
    const { most } = size
    let tookMs = 0
    isMore = await inTransaction(db, async (transaction) => {
      // Time of waiting for the turn makes no portion smaller.
      const begin = performance.now()
      const result = await portion(transaction, most, from)
      tookMs = performance.now() - begin
      return result
    })
    size.took(tookMs)
    from += most
  }
}
