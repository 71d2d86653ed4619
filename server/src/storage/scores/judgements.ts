import { sql } from 'kysely'
import type { Database } from '../../database/database.js'
import type { Instant } from '../../kernel/instant.js'

/** Of a score, what tells whether another one says the same. */
export interface Judgement {
  projectId: string
  id: string
  stepId: string | null
  name: string
  type: string
  scorer: string | null
  createdAt: Instant
}

export interface JudgedStep {
  projectId: string
  stepId: string
}

const columns = sql`c.project_id AS "projectId", c.id, c.step_id AS "stepId", c.name, c.type, c.scorer,
  c.created_at AS "createdAt"`

const column = <Row, Key extends keyof Row>(rows: readonly Row[], key: Key) =>
  rows.map((row) => row[key])

/** What scores judge, by their ids. */
export const findScoreJudgements = async (
  db: Database,
  scores: readonly { projectId: string; id: string }[],
): Promise<Judgement[]> => {
  const { rows } = await sql<Judgement>`
    SELECT ${columns}
    FROM unnest(${column(scores, 'projectId')}::text[], ${column(scores, 'id')}::text[]) AS r (project_id, id)
    JOIN scores c ON c.project_id = r.project_id AND c.id = r.id`.execute(db)
  return rows
}

/**
 * The oldest score of each step, name, type and scorer: so that a step with any number of scores answers with as many as
 * are asked for. `others` are left out.
 */
export const findOldestJudgements = async (
  db: Database,
  steps: readonly JudgedStep[],
  names: readonly string[],
  others: readonly { projectId: string; id: string }[],
): Promise<Judgement[]> => {
  const { rows } = await sql<Judgement>`
    SELECT DISTINCT ON (c.project_id, c.step_id, c.name, c.type, c.scorer) ${columns}
    FROM unnest(${column(steps, 'projectId')}::text[], ${column(steps, 'stepId')}::text[]) AS r (project_id, step_id)
    JOIN scores c ON c.project_id = r.project_id AND c.step_id = r.step_id
    WHERE c.name = ANY(${names}::text[])
      ${others.length === 0 ? sql`` : sql`AND c.project_id || '/' || c.id <> ALL(${others.map(({ projectId, id }) => `${projectId}/${id}`)}::text[])`}
    ORDER BY c.project_id, c.step_id, c.name, c.type, c.scorer, c.created_at, c.id`.execute(db)
  return rows
}
