import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, select, sql } from '../../database/rows/sql.js'
import { rollupFills } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import { SUBJECTS } from '../metrics.js'
import { type Source, startOfSpan } from './spans.js'

/** The rows of a project from before there were marks: those from `reached` on are measured. */
export interface Fill {
  projectId: string
  source: Source
  reached: Instant | null
}

export const findFill = async (db: Database, after = ''): Promise<Fill | undefined> => {
  const { rows } = await sql`
    SELECT ${select({ ...pick(rollupFills, 'projectId', 'reached'), source: rollupFills.source.narrow<Source>() })}
    FROM rollup_fills WHERE project_id > ${after} ORDER BY project_id, source LIMIT 1`.execute(db)
  return rows[0]
}

/** Returns the hour of the last row before a moment. */
export const findHourBefore = async (
  db: Database,
  { projectId, source, reached }: Fill,
  hourSeconds: number,
): Promise<Instant | undefined> => {
  const { table, startedAt, projectId: owner, always } = SUBJECTS[source]
  const start = cast('timestamptz', startOfSpan(startedAt, hourSeconds))
  const { rows } = await sql`
    SELECT ${select({ start })} FROM ${table}
    WHERE ${owner} = ${projectId} AND ${always} ${reached === null ? sql`` : sql`AND ${startedAt} < ${reached}::timestamptz`}
    ORDER BY ${startedAt} DESC LIMIT 1`.execute(db)
  return rows[0]?.start
}

/** Notes how far a project is measured; with null, that all of it is. */
export const storeFill = async (
  db: Database,
  { projectId, source }: Fill,
  reached: Instant | null,
): Promise<void> => {
  if (reached === null)
    await sql`DELETE FROM rollup_fills WHERE project_id = ${projectId} AND source = ${source}`.execute(
      db,
    )
  else
    await sql`
      UPDATE rollup_fills SET reached = ${reached}::timestamptz
      WHERE project_id = ${projectId} AND source = ${source}`.execute(db)
}
