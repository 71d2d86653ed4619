import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { h, w } from '../../database/rows/tables.js'
import { unnest } from '../../database/rows/writes.js'
import type { Instant } from '../../kernel/instant.js'
import { timesOf } from '../leases.js'

const columns = select(
  pick(w, 'id', 'revision', 'dueAt', 'holder', 'attempts', 'reservedTokens', 'reservedDollars'),
)
export type JudgeItemRow = RowOf<typeof columns>

/** A judge of a project. */
export interface JudgeKey {
  projectId: string
  judgeId: string
}

/**
 * Notes that items were written, so that their judges get them once they are quiet. An item that a worker has keeps its
 * lease, and one that was judged stays so.
 */
export const awaitJudges = async (
  db: Database,
  items: readonly (JudgeKey & { id: string; quietSeconds: number })[],
): Promise<void> => {
  if (items.length === 0) return
  const quiet = items.map(({ quietSeconds }) => quietSeconds)
  await sql`
    INSERT INTO judge_items AS w (project_id, judge_id, id, due_at)
    SELECT r.project_id, r.judge_id, r.id, clock_timestamp() + make_interval(secs => r.quiet)
    FROM unnest(${items.map(({ projectId }) => projectId)}::text[], ${items.map(({ judgeId }) => judgeId)}::text[],
      ${items.map(({ id }) => id)}::text[], ${quiet}::float8[]) AS r (project_id, judge_id, id, quiet)
    ORDER BY r.project_id, r.judge_id, r.id
    ON CONFLICT (project_id, judge_id, id) DO UPDATE SET revision = w.revision + 1,
      due_at = CASE WHEN w.holder IS NULL THEN excluded.due_at ELSE w.due_at END
    WHERE w.due_at IS NOT NULL`.execute(db)
}

/**
 * Has the judges of a project's threads look again at all that waits for them: the rule for the end of conversations, by
 * which items wait, has changed.
 */
export const renewWaiting = async (db: Database, projectId: string): Promise<void> => {
  // Workers lock their judge before its items, so they don't wait for this in a circle. The lock is a statement that
  // changes nothing: rows that are on many workers cannot be locked by `FOR UPDATE`.
  const { rows } = await sql`
    UPDATE judges h SET subject = h.subject
    WHERE h.project_id = ${projectId} AND h.subject = 'THREADS'
    RETURNING ${select(pick(h, 'id', 'quietSeconds'))}`.execute(db)
  for (const { id, quietSeconds } of rows) {
    const { until } = await timesOf(db, quietSeconds)
    await sql`
      UPDATE judge_items w SET revision = w.revision + 1, due_at = least(w.due_at, ${until}::timestamptz)
      WHERE w.project_id = ${projectId} AND w.judge_id = ${id} AND w.due_at IS NOT NULL AND w.holder IS NULL`.execute(
      db,
    )
  }
}

/** Returns the items that a worker may take, those that wait for the longest time first. */
export const findDueItems = async (
  db: Database,
  { projectId, judgeId }: JudgeKey,
  now: Instant,
  most: number,
): Promise<JudgeItemRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM judge_items w
    WHERE w.project_id = ${projectId} AND w.judge_id = ${judgeId} AND w.due_at <= ${now}::timestamptz
    ORDER BY w.due_at, w.id LIMIT ${most}`.execute(db)
  return rows
}

/** Returns the next moment at which an item is due; undefined when none waits. */
export const findNextDue = async (
  db: Database,
  { projectId, judgeId }: JudgeKey,
): Promise<Instant | undefined> => {
  const { rows } = await sql`
    SELECT ${select({ dueAt: w.dueAt.narrow<Instant>() })} FROM judge_items w
    WHERE w.project_id = ${projectId} AND w.judge_id = ${judgeId} AND w.due_at IS NOT NULL
    ORDER BY w.due_at LIMIT 1`.execute(db)
  return rows[0]?.dueAt
}

const reserved = select({
  count: cast('integer', sql`count(*)`),
  tokens: cast('float8', sql`coalesce(sum(${w.reservedTokens}), 0)`),
  dollars: cast('float8', sql`coalesce(sum(${w.reservedDollars}), 0)`),
})
export type Reserved = RowOf<typeof reserved>

/** Returns the number of judgements under way, and the usage that is reserved for them. */
export const sumReserved = async (
  db: Database,
  { projectId, judgeId }: JudgeKey,
  now: Instant,
): Promise<Reserved> => {
  const { rows } = await sql`
    SELECT ${reserved} FROM judge_items w
    WHERE w.project_id = ${projectId} AND w.judge_id = ${judgeId} AND w.due_at > ${now}::timestamptz
      AND w.holder IS NOT NULL`.execute(db)
  return rows[0] as Reserved
}

/** Returns items that a worker has leased, without some that it knows, up to a number. */
export const findForgottenItems = async (
  db: Database,
  { projectId, judgeId }: JudgeKey,
  lease: { holder: string; known: readonly string[]; now: Instant; most: number },
): Promise<JudgeItemRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM judge_items w
    WHERE w.project_id = ${projectId} AND w.judge_id = ${judgeId} AND w.due_at > ${lease.now}::timestamptz
      AND w.holder = ${lease.holder} AND w.id <> ALL(${lease.known}::text[])
    ORDER BY w.id LIMIT ${lease.most}`.execute(db)
  return rows
}

/** Sets the end of leases. */
export const extendItems = async (
  db: Database,
  { projectId, judgeId }: JudgeKey,
  ids: readonly string[],
  until: Instant,
): Promise<void> => {
  await sql`
    UPDATE judge_items w SET due_at = ${until}::timestamptz
    WHERE w.project_id = ${projectId} AND w.judge_id = ${judgeId} AND w.id = ANY(${ids}::text[])`.execute(
    db,
  )
}

/** Locks items in one order. */
export const lockItems = async (
  db: Database,
  { projectId, judgeId }: JudgeKey,
  ids: readonly string[],
): Promise<JudgeItemRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM judge_items w
    WHERE w.project_id = ${projectId} AND w.judge_id = ${judgeId} AND w.id = ANY(${ids}::text[])
    ORDER BY w.id FOR UPDATE`.execute(db)
  return rows
}

/** Leases locked items to a worker. */
export const leaseItems = async (
  db: Database,
  { projectId, judgeId }: JudgeKey,
  ids: readonly string[],
  lease: { holder: string; until: Instant; tokens: number | null; dollars: number | null },
): Promise<void> => {
  await sql`
    UPDATE judge_items w SET holder = ${lease.holder}, due_at = ${lease.until}::timestamptz, attempts = w.attempts + 1,
      reserved_tokens = ${lease.tokens}::float8, reserved_dollars = ${lease.dollars}::float8
    WHERE w.project_id = ${projectId} AND w.judge_id = ${judgeId} AND w.id = ANY(${ids}::text[])`.execute(
    db,
  )
}

/** Deletes locked items: they come again when they are written again. */
export const dropItems = async (
  db: Database,
  { projectId, judgeId }: JudgeKey,
  ids: readonly string[],
): Promise<void> => {
  if (ids.length === 0) return
  await sql`
    DELETE FROM judge_items w
    WHERE w.project_id = ${projectId} AND w.judge_id = ${judgeId} AND w.id = ANY(${ids}::text[])`.execute(
    db,
  )
}

/** The new state of a leased item. A holder that stays knows its own result again; none is due once it has one. */
export interface ItemChange {
  id: string
  dueAt: Instant | null
  holder: string | null
  attempts: number
}

/** Writes the new states of locked items. */
export const changeItems = async (
  db: Database,
  { projectId, judgeId }: JudgeKey,
  changes: readonly ItemChange[],
): Promise<void> => {
  if (changes.length === 0) return
  await sql`
    UPDATE judge_items w SET due_at = r.due_at, holder = r.holder, attempts = r.attempts,
      reserved_tokens = NULL, reserved_dollars = NULL
    FROM ${unnest('judge_items', changes, 'id', 'dueAt', 'holder', 'attempts')}
      AS r (id, due_at, holder, attempts)
    WHERE w.project_id = ${projectId} AND w.judge_id = ${judgeId} AND w.id = r.id`.execute(db)
}
