import type { Database } from '../../database/database.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { c } from '../../database/rows/tables.js'
import { unnest } from '../../database/rows/writes.js'

export interface JudgedStep {
  projectId: string
  stepId: string
}

const columns = select(pick(c, 'projectId', 'id', 'stepId', 'name', 'type', 'scorer', 'createdAt'))

/** The columns that identify a score by what it judges. */
export type Judgement = RowOf<typeof columns>

/** Finds judgements by the ids of their scores. */
export const findScoreJudgements = async (
  db: Database,
  scores: readonly { projectId: string; id: string }[],
): Promise<Judgement[]> => {
  const { rows } = await sql`
    SELECT ${columns}
    FROM ${unnest('scores', scores, 'projectId', 'id')} AS r (project_id, id)
    JOIN scores c ON c.project_id = r.project_id AND c.id = r.id`.execute(db)
  return rows
}

/**
 * Returns the oldest score of each step, name, type and scorer, so that a step with any number of scores has no more
 * rows in the answer than are needed. `others` are left out.
 */
export const findOldestJudgements = async (
  db: Database,
  steps: readonly JudgedStep[],
  names: readonly string[],
  others: readonly { projectId: string; id: string }[],
): Promise<Judgement[]> => {
  const { rows } = await sql`
    SELECT DISTINCT ON (c.project_id, c.step_id, c.name, c.type, c.scorer) ${columns}
    FROM ${unnest('scores', steps, 'projectId', 'stepId')} AS r (project_id, step_id)
    JOIN scores c ON c.project_id = r.project_id AND c.step_id = r.step_id
    WHERE c.name = ANY(${names}::text[])
      ${others.length === 0 ? sql`` : sql`AND c.project_id || '/' || c.id <> ALL(${others.map(({ projectId, id }) => `${projectId}/${id}`)}::text[])`}
    ORDER BY c.project_id, c.step_id, c.name, c.type, c.scorer, c.created_at, c.id`.execute(db)
  return rows
}
