import { sql } from 'kysely'
import type { Instant } from '../domain/instant.js'
import type { Database } from './database.js'
import { instant, members, number, string, tags } from './listing/fields.js'
import type { Listing } from './listing/page.js'
import { assignments } from './parameters.js'
import { participantIds } from './steps.js'

export interface ScoreRow {
  id: string
  projectId: string
  stepId: string | null
  generationId: string | null
  datasetExperimentItemId: string | null
  name: string
  type: string
  value: number
  label: string | null
  comment: string | null
  scorer: string | null
  tags: string[] | null
  createdAt: Instant
  updatedAt: Instant
}

const columns = sql`
  c.id, c.project_id AS "projectId", c.step_id AS "stepId", c.generation_id AS "generationId",
  c.dataset_experiment_item_id AS "datasetExperimentItemId", c.name, c.type, c.value, c.label, c.comment, c.scorer,
  to_json(c.tags) AS tags, c.created_at AS "createdAt", c.updated_at AS "updatedAt"`

/** Steps of the participants; a score has the participant of its step. */
const stepsOf = (projectId: string) => (values: string[] | undefined) =>
  sql`
  SELECT s.id FROM steps s
  WHERE s.project_id = ${projectId} AND s.participant_id IN (${participantIds(projectId)(values)})`

export const scoreListing = (projectId: string): Listing => ({
  from: sql`scores c`,
  columns,
  id: sql`c.id`,
  projectId: sql`c.project_id`,
  createdAt: sql`c.created_at`,
  fields: {
    id: string(sql`c.id`, false),
    name: string(sql`c.name`, false),
    type: string(sql`c.type`, false),
    createdAt: instant(sql`c.created_at`, false),
    value: number(sql`c.value`, false),
    participant: members(sql`c.step_id`, stepsOf(projectId)),
    tags: tags(sql`c.tags`),
    comment: string(sql`c.comment`),
    label: string(sql`c.label`),
    scorer: string(sql`c.scorer`),
    stepId: string(sql`c.step_id`),
  },
  orders: {
    createdAt: { value: sql`c.created_at`, type: 'timestamptz' },
    value: { value: sql`c.value`, type: 'float8' },
  },
})

export const findScores = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<ScoreRow[]> => {
  const { rows } = await sql<ScoreRow>`
    SELECT ${columns} FROM scores c WHERE c.project_id = ${projectId} AND c.id = ANY(${ids}::text[])`.execute(
    db,
  )
  return rows
}

/** The scores of steps, in the order of their creation. */
export const findScoresOfSteps = async (
  db: Database,
  projectId: string,
  stepIds: readonly string[],
): Promise<ScoreRow[]> => {
  const { rows } = await sql<ScoreRow>`
    SELECT ${columns} FROM scores c WHERE c.project_id = ${projectId} AND c.step_id = ANY(${stepIds}::text[])
    ORDER BY c.created_at, c.id`.execute(db)
  return rows
}

/** The scores of experiments' items, in the order of their creation. */
export const findScoresOfItems = async (
  db: Database,
  projectId: string,
  itemIds: readonly string[],
): Promise<ScoreRow[]> => {
  const { rows } = await sql<ScoreRow>`
    SELECT ${columns} FROM scores c
    WHERE c.project_id = ${projectId} AND c.dataset_experiment_item_id = ANY(${itemIds}::text[])
    ORDER BY c.created_at, c.id`.execute(db)
  return rows
}

/** Sets the columns that are given. Undefined when there is no such score. */
export const updateScore = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Record<string, unknown>,
): Promise<ScoreRow | undefined> => {
  const { rows } = await sql<ScoreRow>`
    UPDATE scores c SET ${assignments(changes) ?? sql`id = id`}
    WHERE c.project_id = ${projectId} AND c.id = ${id} RETURNING ${columns}`.execute(db)
  return rows[0]
}

/** Whether there was one. */
export const deleteScore = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<boolean> => {
  const { rows } = await sql`
    DELETE FROM scores WHERE project_id = ${projectId} AND id = ${id} RETURNING id`.execute(db)
  return rows.length > 0
}
