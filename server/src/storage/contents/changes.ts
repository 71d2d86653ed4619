import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { insertion } from '../../database/rows/insertion.js'
import { pick, select, sql } from '../../database/rows/sql.js'
import { changes, states } from '../../database/rows/tables.js'
import type { StepRef } from '../ingestion/write.js'

/** Ids begin with the time, so that they are in the order of arrival. */
const DIGITS = 9
const timeOf = (ms: number) => Math.max(0, ms).toString(36).padStart(DIGITS, '0')
const idAt = (time: string) => `${time}-${randomUUID()}`
const newId = () => idAt(timeOf(Date.now()))

/**
 * Notes that the texts of steps may have changed, in the transaction that writes them, where their project has an index of
 * contents.
 */
export const noteChanges = async (db: Database, steps: readonly StepRef[]): Promise<void> => {
  if (steps.length === 0) return
  const byProject = new Map<string, string[]>()
  for (const { projectId, id } of steps) {
    const ids = byProject.get(projectId)
    if (ids === undefined) byProject.set(projectId, [id])
    else ids.push(id)
  }
  const { rows } = await sql`
    SELECT ${select(pick(states, 'projectId'))} FROM content_states states
    WHERE states.project_id = ANY(${[...byProject.keys()]}::text[])`.execute(db)
  await noting.run(
    db,
    rows.map(({ projectId }) => [projectId, newId(), byProject.get(projectId)]),
  )
}

const noting = insertion({
  into: 'content_changes',
  columns: ['project_id', 'id', 'step_ids'],
  after: '',
})

/**
 * Returns the number of steps that each project changed, and of those that are quiet since a time, counting one again for
 * each change.
 */
export const countChanges = async (
  db: Database,
  sinceMs: number,
): Promise<{ projectId: string; quiet: number; all: number }[]> => {
  const steps = sql`cardinality(${changes.stepIds})`
  const counts = {
    projectId: changes.projectId,
    quiet: cast(
      'bigint',
      sql`coalesce(sum(${steps}) FILTER (WHERE changes.id < ${timeOf(sinceMs)}), 0)`,
    ),
    all: cast('bigint', sql`sum(${steps})`),
  }
  const { rows } = await sql`
    SELECT ${select(counts)} FROM content_changes changes GROUP BY changes.project_id`.execute(db)
  return rows
}

export interface Change {
  id: string
  stepIds: string[]
}

/** Returns the oldest changes of a project that are older than a time: of few steps, but whole. */
export const findChanges = async (
  db: Database,
  projectId: string,
  beforeMs: number,
  most: number,
): Promise<Change[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(changes, 'id', 'stepIds'))} FROM (
      SELECT id, step_ids, sum(cardinality(step_ids)) OVER (ORDER BY id) - cardinality(step_ids) AS earlier
      FROM content_changes WHERE project_id = ${projectId} AND id < ${timeOf(beforeMs)}
      ORDER BY id LIMIT ${sql.lit(most)}) AS changes
    WHERE earlier < ${sql.lit(most)} ORDER BY changes.id`.execute(db)
  return rows
}

/**
 * Deletes changes, and notes the steps among them that are still to be indexed. Returns false when another process was
 * faster. Needs a transaction.
 */
export const settleChanges = async (
  db: Database,
  projectId: string,
  settled: readonly Change[],
  left: readonly string[],
): Promise<boolean> => {
  const ids = settled.map(({ id }) => id)
  const { rows } = await sql`
    DELETE FROM content_changes changes
    WHERE changes.project_id = ${projectId} AND changes.id = ANY(${ids}::text[])
    RETURNING ${select(pick(changes, 'id'))}`.execute(db)
  if (rows.length < settled.length) return false
  // They keep their place in the order. No two changes ever have one id: searches remember what they read of each.
  const [first] = settled
  if (left.length > 0 && first !== undefined)
    await sql`
      INSERT INTO content_changes (project_id, id, step_ids)
      VALUES (${projectId}, ${idAt(first.id.slice(0, DIGITS))}, ${left}::text[])`.execute(db)
  return true
}

const columns = select(pick(states, 'projectId', 'isComplete', 'nextCreatedAt', 'nextId'))

/** Creates the states of projects that have none. */
export const startProjects = async (db: Database): Promise<void> => {
  await sql`
    INSERT INTO content_states (project_id)
    SELECT o.id FROM projects o
    WHERE NOT EXISTS (SELECT 1 FROM content_states x WHERE x.project_id = o.id)
    ON CONFLICT DO NOTHING`.execute(db)
}

/** Returns the projects whose steps of before are not indexed yet. */
export const findIncomplete = async (db: Database): Promise<string[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(states, 'projectId'))} FROM content_states states
    WHERE NOT states.is_complete ORDER BY states.project_id`.execute(db)
  return rows.map(({ projectId }) => projectId)
}

/** Takes a project for half a minute, so that two processes don't do the same work; undefined when another has it. */
export const holdProject = async (db: Database, projectId: string, holder: string) => {
  const { rows } = await sql`
    UPDATE content_states states SET holder = ${holder}, held_until = statement_timestamp() + interval '30 seconds'
    WHERE states.project_id = ${projectId}
      AND (states.holder IS NULL OR states.holder = ${holder} OR states.held_until < statement_timestamp())
    RETURNING ${columns}`.execute(db)
  return rows[0]
}

/** Lets other processes have the projects that this one took. */
export const releaseProjects = async (db: Database, holder: string): Promise<void> => {
  await sql`
    UPDATE content_states SET holder = NULL, held_until = NULL WHERE holder = ${holder}`.execute(db)
}

export type State = NonNullable<Awaited<ReturnType<typeof holdProject>>>

/** Moves the place to which steps of before are indexed. Returns false when another process did. Needs a transaction. */
export const moveOn = async (
  db: Database,
  { projectId, nextId }: State,
  next: { createdAt: string; id: string } | undefined,
): Promise<boolean> => {
  const { rows } = await sql`
    UPDATE content_states states SET is_complete = ${next === undefined},
      next_created_at = ${next?.createdAt ?? null}::timestamptz, next_id = ${next?.id ?? null}
    WHERE states.project_id = ${projectId} AND NOT states.is_complete
      AND states.next_id IS NOT DISTINCT FROM ${nextId}
    RETURNING ${columns}`.execute(db)
  return rows.length > 0
}

/** Notes steps as changed that are the last to be indexed. Needs a transaction. */
export const noteRest = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<void> => {
  if (ids.length > 0)
    await sql`
      INSERT INTO content_changes (project_id, id, step_ids)
      VALUES (${projectId}, ${newId()}, ${ids}::text[])`.execute(db)
}

/** Deletes the index of all projects. Their steps are indexed again when it is switched on. */
export const dropIndex = async (db: Database): Promise<void> => {
  for (const table of ['content_states', 'content_changes', 'content_slabs', 'content_blocks'])
    await sql`DELETE FROM ${sql.table(table)}`.execute(db)
}
