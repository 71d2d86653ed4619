import type { Database } from '../../database/database.js'
import { givingWay } from '../../database/transactions/attempts.js'
import { markThreadsStale } from '../../storage/threads.js'

/**
 * Changes figures of steps of threads, and marks the threads: another process may be about to store what it has read
 * before. Lets go of its rows when requests hold the next one, as these lock many threads in another order.
 */
export const changeFigures = (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
  change: (transaction: Database) => Promise<void>,
  patienceMs: number,
): Promise<void> =>
  givingWay(
    db,
    async (transaction) => {
      await markThreadsStale(
        transaction,
        threadIds.map((id) => ({ projectId, id, keepsWords: true })),
      )
      await change(transaction)
    },
    patienceMs,
  )
