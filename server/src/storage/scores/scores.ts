import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/database.js'
import { assignments } from '../../database/parameters.js'
import type { Instant } from '../../kernel/instant.js'
import type { Condition } from '../../lists/conditions.js'
import {
  atMost,
  byMember,
  byPresence,
  byRange,
  byStart,
  byValue,
  creation,
  type Field,
  indexed,
  number,
  related,
  startOf,
  string,
  tags,
} from '../../lists/fields.js'
import { fieldsOf, type Listing, type OrdersOf } from '../../lists/listing.js'
import { participantIds } from '../users.js'

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

/** A score has the participant of its step. */
const participant = (projectId: string): Field<'list'> =>
  related(
    'list',
    (condition, db) => {
      /** Steps of the participants, as many as are asked for. */
      const steps = async (test: RawBuilder<unknown>, most: RawBuilder<unknown>) => {
        const ids = await participantIds(projectId)(db, condition)
        const theirs =
          ids === undefined
            ? sql`s.participant_id IS NOT NULL`
            : sql`s.participant_id = ANY(${ids}::text[])`
        const { rows } = await sql<{ id: string }>`
          SELECT s.id FROM steps s WHERE s.project_id = ${projectId} AND ${theirs} AND ${test} ${most}`.execute(
          db,
        )
        return rows.map(({ id }) => id)
      }
      return {
        link: sql`c.step_id`,
        passing: (stepIds) => steps(sql`s.id = ANY(${stepIds}::text[])`, sql``),
        candidates: async (most) =>
          atMost(most, await steps(sql`true`, sql`LIMIT ${sql.lit(most + 1)}`)),
      }
    },
    { opposites: 'none' },
  )

const startOfName = startOf(sql`c.name`)

/** SQL of a condition on the value of a score, of one name when the condition has a path. */
const scoreTest = ({ path, ...condition }: Condition): RawBuilder<unknown> => {
  const ofName =
    path === undefined
      ? sql``
      : sql`${startOfName} = ${startOf(sql`${path}::text`)} AND c.name = ${path} AND`
  if (condition.operator === 'is' || condition.operator === 'nis') return sql`${ofName} true`
  const { test } = number(sql`c.value`)
  const value = { ...condition, path: undefined } as Condition
  const indexHint = byRange('value', sql`c.value`, 'float8')(value)
  return indexHint === undefined ? sql`${ofName} ${test(value)}` : sql`${ofName} ${indexHint.test}`
}

/** Those of some steps, or else of all, that have a score that passes. */
export const stepsWithScore = async (
  db: Database,
  projectId: string,
  condition: Condition,
  { among, most }: { among?: readonly string[]; most?: number },
): Promise<string[]> => {
  const { rows } = await sql<{ stepId: string }>`
    SELECT c.step_id AS "stepId" FROM scores c WHERE c.project_id = ${projectId}
      AND ${among === undefined ? sql`c.step_id IS NOT NULL` : sql`c.step_id = ANY(${among}::text[])`}
      AND ${scoreTest(condition)} ${most === undefined ? sql`` : sql`LIMIT ${sql.lit(most)}`}`.execute(
    db,
  )
  return rows.map(({ stepId }) => stepId)
}

/** A score of a step passes, one of the name that a path is. With `is` null: there is no such score. */
export const scoreOfStep = (projectId: string): Field<'number'> => ({
  kind: 'number',
  criterion: (condition, db) => ({
    relation: {
      link: sql`s.id`,
      passing: (among) => stepsWithScore(db, projectId, condition, { among }),
      candidates: async (most) =>
        atMost(most, await stepsWithScore(db, projectId, condition, { most: most + 1 })),
      isNegated: condition.operator === 'is',
    },
  }),
})

export const scoreListing = (projectId: string): Listing => ({
  table: sql`scores`,
  alias: sql`c`,
  columns,
  id: sql`c.id`,
  projectId: sql`c.project_id`,
  createdAt: sql`c.created_at`,
  fields: fieldsOf('scores', {
    id: indexed(string(sql`c.id`), byValue(sql`c.id`)),
    stepId: indexed(string(sql`c.step_id`), byValue(sql`c.step_id`)),
    name: indexed(string(sql`c.name`), byStart(startOfName)),
    scorer: indexed(string(sql`c.scorer`), byStart(startOf(sql`c.scorer`))),
    label: indexed(string(sql`c.label`), byStart(startOf(sql`c.label`))),
    comment: indexed(string(sql`c.comment`), byPresence(sql`c.comment`)),
    type: string(sql`c.type`),
    createdAt: creation(sql`c.created_at`),
    value: indexed(number(sql`c.value`), byRange('value', sql`c.value`, 'float8')),
    participant: participant(projectId),
    tags: indexed(tags(sql`c.tags`), byMember(sql`c.tags`)),
  }),
  orders: {
    createdAt: { value: sql`c.created_at`, type: 'timestamptz', isIndexed: true },
    value: { value: sql`c.value`, type: 'float8', isIndexed: true },
  } satisfies OrdersOf<'scores'>,
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

/** Scores of threads that are looked at to find the newest of each. */
const LOOKED_AT = 2000

/** The newest scores of each thread's steps, the newest first. */
export const findNewestScoresOfThreads = async (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
  most: number,
): Promise<(ScoreRow & { threadId: string })[]> => {
  // Found by their steps and ordered then: read in their order, all scores of the project would be looked at.
  const newest = await sql<{ id: string }>`
    WITH found AS MATERIALIZED (
      SELECT c.id, c.created_at FROM scores c
      WHERE c.project_id = ${projectId} AND c.step_id IN (
        SELECT s.id FROM steps s WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${threadIds}::text[])))
    SELECT found.id FROM found ORDER BY found.created_at DESC, found.id DESC LIMIT ${sql.lit(LOOKED_AT)}`.execute(
    db,
  )
  if (newest.rows.length === 0) return []
  const { rows } = await sql<ScoreRow & { stepId: string }>`
    SELECT ${columns} FROM scores c
    WHERE c.project_id = ${projectId} AND c.id = ANY(${newest.rows.map(({ id }) => id)}::text[])
    ORDER BY c.created_at DESC, c.id DESC`.execute(db)
  if (rows.length === 0) return []
  const stepIds = [...new Set(rows.map(({ stepId }) => stepId))]
  const steps = await sql<{ id: string; threadId: string }>`
    SELECT s.id, s.thread_id AS "threadId" FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${stepIds}::text[]) AND s.thread_id IS NOT NULL`.execute(
    db,
  )
  const threadOf = new Map(steps.rows.map(({ id, threadId }) => [id, threadId]))
  const given = new Map<string, number>()
  return rows.flatMap((row) => {
    const threadId = threadOf.get(row.stepId)
    const count = given.get(threadId ?? '') ?? 0
    if (threadId === undefined || count >= most) return []
    given.set(threadId, count + 1)
    return [{ ...row, threadId }]
  })
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
  // Read by itself: a distributed database returns nothing from a change that a function made.
  await sql`
    UPDATE scores c SET ${assignments(changes) ?? sql`name = name`}
    WHERE c.project_id = ${projectId} AND c.id = ${id}`.execute(db)
  return (await findScores(db, projectId, [id]))[0]
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
