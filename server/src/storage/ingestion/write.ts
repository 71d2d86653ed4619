import type { Database } from '../../database/database.js'
import { EscapedText } from '../../database/parameters.js'
import { select, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
import { unnest } from '../../database/rows/writes.js'
import type { Instant } from '../../kernel/instant.js'
import {
  type Column,
  newWaitingRevision,
  noteOfFirst,
  STEP_COLUMNS,
  type StepColumn,
} from './columns.js'
import { threadsAndSessions, type Upsert, upsertFor, type WrittenStep } from './merge.js'

/** A step to write: JSON text for each column that is given. Texts, as payloads are encoded once and not again. */
export interface StepWrite {
  projectId: string
  id: string
  createdAt: Instant
  values: Partial<Record<StepColumn, string>>
}

/** Writes steps. Returns the threads that this changes, in no order. */
export const upsertSteps = async (
  db: Database,
  steps: readonly StepWrite[],
): Promise<WrittenStep[]> => {
  if (steps.length === 0) return []
  const { given, hasWaiting, insertion } = upsertFor(steps)
  return insertion.run(db, rowsOf(steps, given), hasWaiting ? [newWaitingRevision()] : [])
}

function* rowsOf(steps: readonly StepWrite[], given: Upsert['given']): Generator<unknown[]> {
  for (const { projectId, id, createdAt, values } of steps) {
    const cells: unknown[] = [projectId, id, createdAt]
    for (const [key, column] of given) cells.push(cellOf(column, values[key]))
    yield cells
  }
}

/** Returns the parameter for a value, which is JSON text. Texts inside it are escaped already. */
const cellOf = ({ type, initial }: Column, value: string | undefined): unknown => {
  if (value === undefined || value === 'null') return initial ?? null
  if (type === 'json') return new EscapedText(value)
  if (type === 'text[]')
    return (JSON.parse(value) as unknown[]).map((item) =>
      item === null
        ? null
        : new EscapedText(typeof item === 'string' ? item : JSON.stringify(item)),
    )
  return value.startsWith('"')
    ? new EscapedText(value.includes('\\') ? (JSON.parse(value) as string) : value.slice(1, -1))
    : value
}

export interface StepRef {
  projectId: string
  id: string
}

/** Compares rows by the order in which transactions lock them. */
export const byKey = (a: StepRef, b: StepRef): number =>
  compare(a.projectId, b.projectId) || compare(a.id, b.id)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Marks steps as written again, and returns those that still exist. Locks them until the transaction ends. */
export const touchSteps = async (
  db: Database,
  steps: readonly StepRef[],
): Promise<WrittenStep[]> => {
  if (steps.length === 0) return []
  const { rows } = await sql`
    UPDATE steps SET ingested = true FROM ${unnest('steps', steps, 'projectId', 'id')} AS r (project_id, id)
    WHERE steps.project_id = r.project_id AND steps.id = r.id RETURNING ${threadsAndSessions}`.execute(
    db,
  )
  return rows
}

/** Returns the threads that some steps belong to so far, in the order in which transactions lock them. */
export const findThreadsOfSteps = async (
  db: Database,
  steps: readonly StepRef[],
): Promise<{ projectId: string; id: string }[]> => {
  if (steps.length === 0) return []
  const { rows } = await sql`
    SELECT DISTINCT ${select({ projectId: s.projectId, id: s.threadId.narrow<string>() })}
    FROM ${unnest('steps', steps, 'projectId', 'id')} AS r (project_id, id)
    JOIN steps s ON s.project_id = r.project_id AND s.id = r.id
    WHERE s.thread_id IS NOT NULL
    ORDER BY 1, 2`.execute(db)
  return rows
}

/** Columns about the calls that a step is nested with, which are those of its thread. */
const TOLD = ['told_tokens', 'told_input_tokens', 'told_output_tokens', 'told_cost']

/** Sets columns of steps to null, different ones for each: those that a client cleared by an explicit null. */
export const clearSteps = async (
  db: Database,
  steps: readonly (StepRef & { columns: readonly StepColumn[] })[],
): Promise<void> => {
  if (steps.length === 0) return
  const cleared = [...new Set(steps.flatMap(({ columns }) => columns))]
  const flags = steps.map(({ columns }) =>
    cleared.reduce((sum, key, bit) => sum + (columns.includes(key) ? 2 ** bit : 0), 0),
  )
  const set = sql.join(
    cleared.flatMap((key, bit) =>
      [STEP_COLUMNS[key].column, ...(key === 'threadId' ? TOLD : [])].map((column) => {
        const name = sql.ref(column)
        return sql`${name} = CASE WHEN r.cleared & ${sql.lit(2 ** bit)} = 0 THEN s.${name} END`
      }),
    ),
  )
  const threadBit = cleared.indexOf('threadId')
  const noted =
    threadBit < 0
      ? sql``
      : sql`, noted_participants = CASE WHEN r.cleared & ${sql.lit(2 ** threadBit)} = 0
          THEN s.noted_participants ELSE ${sql.raw(noteOfFirst('s', 'NULL'))} END`
  const startBit = cleared.indexOf('startTime')
  // Prices depend on the moment of a call.
  const waiting =
    startBit < 0
      ? sql``
      : sql`, gen_cost_revision = CASE WHEN r.cleared & ${sql.lit(2 ** startBit)} = 0
          THEN s.gen_cost_revision ELSE ${newWaitingRevision()}::integer END`
  await sql`
    UPDATE steps s SET ${set}${noted}${waiting}
    FROM unnest(${steps.map(({ projectId }) => projectId)}::text[], ${steps.map(({ id }) => id)}::text[], ${flags}::int[])
      AS r (project_id, id, cleared)
    WHERE s.project_id = r.project_id AND s.id = r.id`.execute(db)
  // An attachment is in the thread of its step.
  const left = steps.filter(({ columns }) => columns.includes('threadId'))
  if (left.length > 0)
    await sql`
      UPDATE attachments a SET thread_id = NULL
      FROM ${unnest('steps', left, 'projectId', 'id')} AS r (project_id, id)
      WHERE a.project_id = r.project_id AND a.step_id = r.id AND a.thread_id IS NOT NULL`.execute(
      db,
    )
}
