import type { Database } from '../../database/database.js'
import { countStepsOfThreads } from '../../storage/ingestion/thread-batch.js'

/**
 * Counts the steps of threads, up to a few more than the limit for all of them together: of a thread that has more, the number that was
 * counted until then. So a thread of a million steps costs no more than a small one.
 */
export const countUpTo = async (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
  limit: number,
): Promise<Map<string, number>> => {
  const most = limit + 1
  const counts = await countStepsOfThreads(db, projectId, threadIds, most)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total < most || threadIds.length <= 1) return counts
  const middle = threadIds.length >> 1
  return new Map([
    ...(await countUpTo(db, projectId, threadIds.slice(0, middle), limit)),
    ...(await countUpTo(db, projectId, threadIds.slice(middle), limit)),
  ])
}
