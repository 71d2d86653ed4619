import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, type Sql, select, sql } from '../../database/rows/sql.js'
import { c, s, t } from '../../database/rows/tables.js'
import type { Position } from '../../lists/cursor.js'
import type { DueBefore } from './due.js'
import type { RetentionException } from './rules.js'

// Scores may come before their step or thread, which may never come: then they go by their own age.

const columns = select({
  ...pick(c, 'id', 'stepId', 'threadId'),
  key: cast('text', c.createdAt),
})
type ScoreInOrder = RowOf<typeof columns>

/** Holds for scores of steps and threads that are due. They have no environment, so that they are kept as long as `prod`. */
const isDue = ({ prod }: DueBefore): Sql =>
  prod === undefined
    ? sql`false`
    : sql`c.dataset_experiment_item_id IS NULL AND c.created_at < ${prod}::timestamptz
        AND c.updated_at < ${prod}::timestamptz`

/** Returns those of some scores of which neither the step nor the thread is there. */
const ofNothing = async (
  db: Database,
  projectId: string,
  scores: readonly ScoreInOrder[],
): Promise<Set<string>> => {
  const idsIn = (column: 'stepId' | 'threadId') => [
    ...new Set(scores.flatMap(({ [column]: id }) => id ?? [])),
  ]
  const steps = await sql`
    SELECT ${select(pick(s, 'id'))} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${idsIn('stepId')}::text[])`.execute(db)
  const threads = await sql`
    SELECT ${select(pick(t, 'id'))} FROM threads t
    WHERE t.project_id = ${projectId} AND t.id = ANY(${idsIn('threadId')}::text[])`.execute(db)
  const [isStep, isThread] = [steps, threads].map(({ rows }) => new Set(rows.map(({ id }) => id)))
  const isThere = ({ stepId, threadId }: ScoreInOrder) =>
    isStep?.has(stepId ?? '') || isThread?.has(threadId ?? '')
  return new Set(scores.flatMap((score) => (isThere(score) ? [] : score.id)))
}

/** Returns the next scores in the order of their arrival, and which of them are of nothing. */
export const findScoresByAge = async (
  db: Database,
  projectId: string,
  moments: DueBefore,
  after: Position | undefined,
  most: number,
): Promise<{ id: string; key: string; isDue: boolean }[]> => {
  const from =
    after === undefined
      ? sql``
      : sql`AND (c.created_at, c.id) > (${after.key}::timestamptz, ${after.id}::text)`
  const { rows } = await sql`
    SELECT ${columns} FROM scores c
    WHERE c.project_id = ${projectId} AND ${isDue(moments)} ${from}
    ORDER BY c.created_at, c.id LIMIT ${sql.lit(most)}`.execute(db)
  const due = await ofNothing(db, projectId, rows)
  return rows.map(({ id, key }) => ({ id, key, isDue: due.has(id) }))
}

/** Deletes those of some scores that are due and of nothing, and for which no exception holds. Returns how many. */
export const deleteScoresOfNothing = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  moments: DueBefore,
  keep: readonly RetentionException[],
): Promise<number> => {
  if (keep.includes('scored')) return 0
  const machines = keep.includes('scoredByPeople') ? sql`AND c.type <> 'HUMAN'` : sql``
  const { rows } = await sql`
    SELECT ${columns} FROM scores c
    WHERE c.project_id = ${projectId} AND c.id = ANY(${[...ids]}::text[]) AND ${isDue(moments)} ${machines}`.execute(
    db,
  )
  const due = await ofNothing(db, projectId, rows)
  if (due.size === 0) return 0
  const deleted = await sql`
    DELETE FROM scores c WHERE c.project_id = ${projectId} AND c.id = ANY(${[...due]}::text[])
    RETURNING ${select(pick(c, 'id'))}`.execute(db)
  return deleted.rows.length
}
