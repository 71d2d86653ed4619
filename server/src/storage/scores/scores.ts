import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, type Sql, select, sql } from '../../database/rows/sql.js'
import { c, s, t } from '../../database/rows/tables.js'
import { assignments, type Changes } from '../../database/rows/writes.js'
import { byCodePoint } from '../../lists/by-code-point.js'
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
import { containing, participantIds } from '../users.js'

const columns = select(
  pick(
    c,
    'id',
    'projectId',
    'stepId',
    'threadId',
    'generationId',
    'datasetExperimentItemId',
    'name',
    'type',
    'value',
    'label',
    'comment',
    'scorer',
    'tags',
    'createdAt',
    'updatedAt',
  ),
)

export type ScoreRow = RowOf<typeof columns>

/** The subject of a score: `s` and the id of a step, or `t` and that of a thread. */
const judged = cast('text | null', sql`coalesce('s' || ${c.stepId}, 't' || ${c.threadId})`)
const ofKind = (kind: 's' | 't', judged: readonly string[]): string[] =>
  judged.flatMap((one) => (one.startsWith(kind) ? one.slice(1) : []))

/** A score has the participant of its step or thread. */
const participant = (projectId: string): Field<'list'> =>
  related(
    'list',
    (condition, db) => {
      /** Returns those of some steps, or threads, whose participant's identifier contains the text. */
      const findContaining = async (
        kind: 's' | 't',
        table: Sql,
        row: Pick<typeof s, 'id' | 'projectId' | 'participantId'>,
        among: readonly string[],
      ) => {
        const { rows } = await sql`
          SELECT ${select(pick(row, 'id', 'participantId'))} FROM ${table}
          WHERE ${row.projectId} = ${projectId} AND ${row.id} = ANY(${among}::text[]) AND ${row.participantId} IS NOT NULL`.execute(
          db,
        )
        const users = [...new Set(rows.flatMap(({ participantId }) => participantId ?? []))]
        const named = new Set(await containing(db, projectId, condition, { among: users }))
        return rows.flatMap(({ id, participantId }) =>
          named.has(participantId ?? '') ? kind + id : [],
        )
      }
      /** Returns steps, or threads, of the participants, among some or up to a number. */
      const find = async (kind: 's' | 't', among: readonly string[] | undefined, most: Sql) => {
        if (among?.length === 0) return []
        const [table, row] = kind === 's' ? [sql`steps s`, s] : [sql`threads t`, t]
        if (condition.operator === 'ilike') return findContaining(kind, table, row, among ?? [])
        const ids = await participantIds(projectId)(db, condition)
        const theirs =
          ids === undefined
            ? sql`${row.participantId} IS NOT NULL`
            : sql`${row.participantId} = ANY(${ids}::text[])`
        const test = among === undefined ? sql`true` : sql`${row.id} = ANY(${among}::text[])`
        const { rows } = await sql`
          SELECT ${select({ id: row.id })} FROM ${table}
          WHERE ${row.projectId} = ${projectId} AND ${theirs} AND ${test} ${most}`.execute(db)
        return rows.map(({ id }) => kind + id)
      }
      return {
        link: judged,
        isAmong: (found) =>
          sql`(c.step_id = ANY(${ofKind('s', found)}::text[]) OR c.thread_id = ANY(${ofKind('t', found)}::text[]))`,
        passing: async (found) => [
          ...(await find('s', ofKind('s', found), sql``)),
          ...(await find('t', ofKind('t', found), sql``)),
        ],
        candidates: async (most) => {
          if (condition.operator === 'ilike') return undefined
          const some = sql`LIMIT ${sql.lit(most + 1)}`
          const steps = await find('s', undefined, some)
          if (steps.length > most) return undefined
          return atMost(most, [...steps, ...(await find('t', undefined, some))])
        },
      }
    },
    { opposites: 'none' },
  )

const startOfName = startOf(c.name)

/** Returns the SQL of a condition on the value of a score; the condition's path, if any, is the score's name. */
const scoreTest = ({ path, ...condition }: Condition): Sql => {
  const ofName =
    path === undefined
      ? sql``
      : sql`${startOfName} = ${startOf(cast('text', sql`${path}`))} AND c.name = ${path} AND`
  if (condition.operator === 'is' || condition.operator === 'nis') return sql`${ofName} true`
  const { test } = number(c.value)
  const value = { ...condition, path: undefined } as Condition
  const indexHint = byRange('value', c.value, 'float8')(value)
  return indexHint === undefined ? sql`${ofName} ${test(value)}` : sql`${ofName} ${indexHint.test}`
}

/** Returns the steps that have a score that passes, among some steps or all. */
export const stepsWithScore = async (
  db: Database,
  projectId: string,
  condition: Condition,
  { among, most }: { among?: readonly string[]; most?: number },
): Promise<string[]> => {
  const { rows } = await sql`
    SELECT ${select({ stepId: c.stepId.narrow<string>() })} FROM scores c WHERE c.project_id = ${projectId}
      AND ${among === undefined ? sql`c.step_id IS NOT NULL` : sql`c.step_id = ANY(${among}::text[])`}
      AND ${scoreTest(condition)} ${most === undefined ? sql`` : sql`LIMIT ${sql.lit(most)}`}`.execute(
    db,
  )
  return rows.map(({ stepId }) => stepId)
}

/** Returns the threads that have a score of their own that passes, among some threads or all. */
export const threadsWithScore = async (
  db: Database,
  projectId: string,
  condition: Condition,
  { among, most }: { among?: readonly string[]; most?: number },
): Promise<string[]> => {
  const { rows } = await sql`
    SELECT ${select({ threadId: c.threadId.narrow<string>() })} FROM scores c WHERE c.project_id = ${projectId}
      AND ${among === undefined ? sql`c.thread_id IS NOT NULL` : sql`c.thread_id = ANY(${among}::text[])`}
      AND ${scoreTest(condition)} ${most === undefined ? sql`` : sql`LIMIT ${sql.lit(most)}`}`.execute(
    db,
  )
  return rows.map(({ threadId }) => threadId)
}

/** Filters steps by their scores; a path is the name of a score. With `is` null: the step has no such score. */
export const scoreOfStep = (projectId: string): Field<'number'> => ({
  kind: 'number',
  criterion: (condition, db) => ({
    relation: {
      link: s.id,
      passing: (among) => stepsWithScore(db, projectId, condition, { among }),
      candidates: async (most) =>
        atMost(most, await stepsWithScore(db, projectId, condition, { most: most + 1 })),
      isNegated: condition.operator === 'is',
    },
  }),
})

export const scoreListing = (projectId: string): Listing<ScoreRow> => ({
  name: 'scores',
  table: sql`scores`,
  alias: sql`c`,
  columns,
  id: c.id,
  projectId: c.projectId,
  createdAt: c.createdAt,
  list: 'scores',
  fields: fieldsOf('scores', {
    id: indexed(string(c.id), byValue(c.id)),
    stepId: indexed(string(c.stepId), byValue(c.stepId)),
    threadId: indexed(string(c.threadId), byValue(c.threadId)),
    name: indexed(string(c.name), byStart(startOfName)),
    scorer: indexed(string(c.scorer), byStart(startOf(c.scorer))),
    label: indexed(string(c.label), byStart(startOf(c.label))),
    comment: indexed(string(c.comment), byPresence(c.comment)),
    type: string(c.type),
    createdAt: creation(c.createdAt),
    value: indexed(number(c.value), byRange('value', c.value, 'float8')),
    participant: participant(projectId),
    tags: indexed(tags(c.tags), byMember(c.tags)),
  }),
  orders: {
    createdAt: { value: c.createdAt, type: 'timestamptz', isIndexed: true },
    value: { value: c.value, type: 'float8', isIndexed: true },
  } satisfies OrdersOf<'scores'>,
})

export const findScores = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<ScoreRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM scores c WHERE c.project_id = ${projectId} AND c.id = ANY(${ids}::text[])`.execute(
    db,
  )
  return rows
}

/** Returns the scores of steps, in the order of their creation. */
export const findScoresOfSteps = async (
  db: Database,
  projectId: string,
  stepIds: readonly string[],
): Promise<ScoreRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM scores c WHERE c.project_id = ${projectId} AND c.step_id = ANY(${stepIds}::text[])
    ORDER BY c.created_at, c.id`.execute(db)
  return rows
}

/** Scores of threads that are read to find the newest of each. */
const LOOKED_AT = 2000

/**
 * Returns the newest scores that pass a test. Found by what they judge and then sorted, by a value that no index has: in their own
 * order, all scores of the project would be read.
 */
const findNewestWhere = async (
  db: Database,
  projectId: string,
  test: Sql,
): Promise<Pick<ScoreRow, 'id' | 'createdAt'>[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(c, 'id', 'createdAt'))} FROM scores c WHERE c.project_id = ${projectId} AND ${test}
    ORDER BY extract(epoch FROM c.created_at) DESC, c.id DESC LIMIT ${sql.lit(LOOKED_AT)}`.execute(
    db,
  )
  return rows
}

/** Returns the newest scores of each thread and its steps, newest first. */
export const findNewestScoresOfThreads = async (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
  most: number,
): Promise<(ScoreRow & { of: string })[]> => {
  const [ofSteps, ofThreads] = await Promise.all([
    findNewestWhere(
      db,
      projectId,
      sql`c.step_id IN (
        SELECT s.id FROM steps s WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${threadIds}::text[]))`,
    ),
    findNewestWhere(db, projectId, sql`c.thread_id = ANY(${threadIds}::text[])`),
  ])
  // A score of a thread may name a step too.
  const newest = new Map([...ofSteps, ...ofThreads].map((score) => [score.id, score]))
  if (newest.size === 0) return []
  const ids = [...newest.values()]
    .sort(
      (one, other) => byCodePoint(other.createdAt, one.createdAt) || byCodePoint(other.id, one.id),
    )
    .slice(0, LOOKED_AT)
    .map(({ id }) => id)
  const { rows } = await sql`
    SELECT ${columns} FROM scores c
    WHERE c.project_id = ${projectId} AND c.id = ANY(${ids}::text[])
    ORDER BY c.created_at DESC, c.id DESC`.execute(db)
  if (rows.length === 0) return []
  const stepIds = [...new Set(rows.flatMap(({ stepId }) => stepId ?? []))]
  const steps = await sql`
    SELECT ${select({ id: s.id, threadId: s.threadId.narrow<string>() })} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${stepIds}::text[]) AND s.thread_id IS NOT NULL`.execute(
    db,
  )
  const threadOf = new Map(steps.rows.map(({ id, threadId }) => [id, threadId]))
  const given = new Map<string, number>()
  return rows.flatMap((row) => {
    const of = row.threadId ?? threadOf.get(row.stepId ?? '')
    const count = given.get(of ?? '') ?? 0
    if (of === undefined || count >= most) return []
    given.set(of, count + 1)
    return [{ ...row, of }]
  })
}

/** Returns the scores of experiments' items, in the order of their creation. */
export const findScoresOfItems = async (
  db: Database,
  projectId: string,
  itemIds: readonly string[],
): Promise<ScoreRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM scores c
    WHERE c.project_id = ${projectId} AND c.dataset_experiment_item_id = ANY(${itemIds}::text[])
    ORDER BY c.created_at, c.id`.execute(db)
  return rows
}

/** Updates the given columns. Returns undefined when there is no such score. */
export const updateScore = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Changes<'scores'>,
): Promise<ScoreRow | undefined> => {
  // A separate statement: a distributed database returns nothing from a change that a function made.
  await sql`
    UPDATE scores c SET ${assignments('scores', changes) ?? sql`name = name`}
    WHERE c.project_id = ${projectId} AND c.id = ${id}`.execute(db)
  return (await findScores(db, projectId, [id]))[0]
}

export const deleteScores = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<void> => {
  await sql`DELETE FROM scores WHERE project_id = ${projectId} AND id = ANY(${ids}::text[])`.execute(
    db,
  )
}

/** Returns false when there was none. */
export const deleteScore = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<boolean> => {
  const { rows } = await sql`
    DELETE FROM scores WHERE project_id = ${projectId} AND id = ${id} RETURNING id`.execute(db)
  return rows.length > 0
}
