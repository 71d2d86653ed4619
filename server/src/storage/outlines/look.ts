import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { select, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import { isUnpriced } from '../prices/costs.js'
import { hasFailed } from '../reading/failures.js'
import { startOfStep } from '../reading/starts.js'

/** The steps between two bounds: how many, and a sum that changes with anything that their outline tells. */
export interface PartSum {
  count: number
  sum: bigint
}

// As a row, which tells null from an empty text, and a comma in a name from the end of it. A sum is the same in whatever
// order rows are read.
const sum = sql`coalesce(sum(hashtextextended(ROW(${sql.join([
  s.id,
  s.parentId,
  s.type,
  s.name,
  sql`extract(epoch FROM ${s.startTime})`,
  sql`extract(epoch FROM ${s.endTime})`,
  sql`extract(epoch FROM ${s.createdAt})`,
  s.hasGeneration,
  hasFailed,
  s.genTokens,
  s.genTtFirstToken,
  s.genCost,
  isUnpriced,
])})::text, 0)), 0)::text`

/**
 * Sums up the steps of a thread by their start: a part before the first bound, and one from each bound on. Bounds are
 * rising moments. Reads all steps of the thread.
 */
export const sumUpParts = async (
  db: Database,
  projectId: string,
  threadId: string,
  bounds: readonly Instant[],
): Promise<PartSum[]> => {
  const part =
    bounds.length === 0 ? sql`0` : sql`width_bucket(${startOfStep}, ${bounds}::timestamptz[])`
  const { rows } = await sql`
    SELECT ${select({
      part: cast('integer', sql`p.part`),
      count: cast('integer', sql`p.count`),
      sum: cast('text', sql`p.sum`),
    })}
    FROM (
      SELECT ${part} AS part, count(*)::integer AS count, ${sum} AS sum
      FROM steps s WHERE s.project_id = ${projectId} AND s.thread_id = ${threadId} AND s.ingested
      GROUP BY 1) p`.execute(db)
  const parts = Array.from({ length: bounds.length + 1 }, (): PartSum => ({ count: 0, sum: 0n }))
  for (const { part, count, sum } of rows) parts[part] = { count, sum: BigInt(sum) }
  return parts
}
