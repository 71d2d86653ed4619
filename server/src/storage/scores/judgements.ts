import type { Database } from '../../database/database.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { c } from '../../database/rows/tables.js'
import { unnest } from '../../database/rows/writes.js'

const columns = select(
  pick(c, 'projectId', 'id', 'stepId', 'threadId', 'name', 'type', 'scorer', 'createdAt'),
)

/** The columns that identify a score by what it judges. */
export type Judgement = RowOf<typeof columns>

/** The column of the things that are judged. */
export type Judged = 'stepId' | 'threadId'

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
 * Returns the oldest score of each step or thread, name, type and scorer, so that one with any number of scores has no
 * more rows in the answer than are needed. `others` are left out.
 */
export const findOldestJudgements = async (
  db: Database,
  judged: Judged,
  subjects: readonly { projectId: string; id: string }[],
  names: readonly string[],
  others: readonly { projectId: string; id: string }[],
): Promise<Judgement[]> => {
  const id = c[judged]
  const { rows } = await sql`
    SELECT DISTINCT ON (c.project_id, ${id}, c.name, c.type, c.scorer) ${columns}
    FROM ${unnest('scores', subjects, 'projectId', 'id')} AS r (project_id, judged_id)
    JOIN scores c ON c.project_id = r.project_id AND ${id} = r.judged_id
    WHERE c.name = ANY(${names}::text[])
      ${others.length === 0 ? sql`` : sql`AND c.project_id || '/' || c.id <> ALL(${others.map(({ projectId, id }) => `${projectId}/${id}`)}::text[])`}
    ORDER BY c.project_id, ${id}, c.name, c.type, c.scorer, c.created_at, c.id`.execute(db)
  return rows
}

/** Scores by people that are read at once. */
const MAX_BY_PEOPLE = 2000

const values = (judged: Judged) =>
  select({ ...pick(c, 'value', 'label'), id: c[judged].narrow<string>() })
type JudgedValue = RowOf<ReturnType<typeof values>>

/** Returns the latest scores of steps or threads by people, oldest first. */
export const findScoresByPeople = async (
  db: Database,
  projectId: string,
  judged: Judged,
  name: string,
): Promise<JudgedValue[]> => {
  // The index of steps has exactly these rows; those of threads are found by the index of all names.
  const indexed = judged === 'stepId' ? sql`` : sql`AND left(c.name, 200) = left(${name}, 200)`
  const { rows } = await sql`
    SELECT ${values(judged)} FROM scores c
    WHERE c.project_id = ${projectId} AND c.name = ${name} AND c.type = 'HUMAN'
      AND ${c[judged]} IS NOT NULL ${indexed}
    ORDER BY c.created_at DESC LIMIT ${sql.lit(MAX_BY_PEOPLE)}`.execute(db)
  return rows.reverse()
}

/** Returns the scores of some steps or threads by a scorer. */
export const findScoresBy = async (
  db: Database,
  projectId: string,
  judged: Judged,
  { scorer, name }: { scorer: string; name: string },
  ids: readonly string[],
): Promise<JudgedValue[]> => {
  if (ids.length === 0) return []
  const { rows } = await sql`
    SELECT ${values(judged)} FROM scores c
    WHERE c.project_id = ${projectId} AND ${c[judged]} = ANY(${ids}::text[]) AND c.name = ${name}
      AND c.scorer = ${scorer} AND c.type <> 'HUMAN'`.execute(db)
  return rows
}
