import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { select, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
import { isUnpriced } from '../prices/costs.js'
import { hasFailed } from './portion.js'

// As a row, which tells null from an empty text, and a comma in a name from the end of it.
const revision = sql`concat_ws('-', count(*), sum(hashtextextended(ROW(${sql.join([
  s.id,
  s.parentId,
  s.type,
  s.name,
  sql`extract(epoch FROM ${s.startTime})`,
  sql`extract(epoch FROM ${s.endTime})`,
  hasFailed,
  s.genTokens,
  s.genTtFirstToken,
  s.genCost,
  isUnpriced,
])})::text, 0)))`

/**
 * Returns a text that changes with anything of the outline, in whatever order rows are read; undefined without any
 * step.
 */
export const findRevision = async (
  db: Database,
  projectId: string,
  threadId: string,
): Promise<string | undefined> => {
  const { rows } = await sql`
    SELECT ${select({ steps: cast('integer', sql`count(*)`), revision: cast('text', revision) })}
    FROM steps s WHERE s.project_id = ${projectId} AND s.thread_id = ${threadId} AND s.ingested`.execute(
    db,
  )
  return rows[0]?.steps ? rows[0].revision : undefined
}
