import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { type Selection, type Sql, select, sql } from '../../database/rows/sql.js'
import { participantMarks, participantSums, t } from '../../database/rows/tables.js'
import { startOfThread } from '../reading/starts.js'

/** The sums of a user's threads. Those that are null are of a user without threads, or of threads without any. */
export const usageOfUser = {
  id: cast('text', sql`asked.id`),
  threadCount: cast('bigint', sql`coalesce(${participantSums.threadCount}, 0)`),
  tokenCount: cast('bigint', sql`coalesce(${participantSums.tokenCount}, 0)`),
  errorCount: cast('bigint', sql`coalesce(${participantSums.errorCount}, 0)`),
  unpricedCount: cast('bigint', sql`coalesce(${participantSums.unpricedCount}, 0)`),
  cost: cast('float8 | null', participantSums.cost),
  firstEngaged: cast('timestamptz | null', participantSums.firstEngaged),
  lastEngaged: cast('timestamptz | null', participantSums.lastEngaged),
}

/** Sums up the threads of users, under the names that the sums have where they are stored. Users without threads have none. */
export const sumsFromThreads = (projectId: string, ids: readonly string[]): Sql => sql`
  SELECT t.participant_id, count(*) AS thread_count, coalesce(sum(${t.tokenCount}), 0)::bigint AS token_count,
    coalesce(sum(${t.errorCount}), 0)::bigint AS error_count, coalesce(sum(${t.unpricedCount}), 0)::bigint AS unpriced_count,
    sum(${t.cost})::float8 / 1e12::float8 AS cost, min(${startOfThread}) AS first_engaged,
    max(greatest(${startOfThread}, ${t.lastActivityAt})) AS last_engaged
  FROM threads t WHERE t.project_id = ${projectId} AND t.participant_id = ANY(${[...ids]}::text[])
  GROUP BY t.participant_id`

const identified = select({ id: usageOfUser.id })

/**
 * Reads something of the sums of users, as of a moment after the call: from what is stored, and from the threads of those whose
 * stored sums are out of date or missing. A user who is not marked was stored before: so the stored ones are read first.
 */
export const readUsage = async <Row extends object>(
  db: Database,
  projectId: string,
  ids: readonly string[],
  selection: Selection<Row>,
): Promise<(Row & { id: string })[]> => {
  const read = identified.and(selection)
  const { rows: stored } = await sql`
    SELECT ${read} FROM unnest(${[...ids]}::text[]) AS asked (id)
    JOIN participant_sums ON participant_sums.project_id = ${projectId} AND participant_sums.participant_id = asked.id
    WHERE NOT EXISTS (SELECT FROM participant_marks
      WHERE participant_marks.project_id = ${projectId} AND ${participantMarks.participantId} = asked.id)`.execute(
    db,
  )
  const known = new Set(stored.map(({ id }) => id))
  const left = ids.filter((id) => !known.has(id))
  if (left.length === 0) return stored
  const { rows: summed } = await sql`
    SELECT ${read} FROM unnest(${left}::text[]) AS asked (id)
    LEFT JOIN (${sumsFromThreads(projectId, left)}) AS participant_sums ON participant_sums.participant_id = asked.id`.execute(
    db,
  )
  return [...stored, ...summed]
}
