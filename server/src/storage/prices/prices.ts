import type { Database } from '../../database/database.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { q, r } from '../../database/rows/tables.js'
import { valuesOf } from '../../database/rows/writes.js'
import type { Instant } from '../../kernel/instant.js'

const columns = select(
  pick(q, 'id', 'provider', 'model', 'validFrom', 'validUntil', 'rates', 'tiers', 'updatedAt'),
)
export type PriceRow = RowOf<typeof columns>

const stateColumns = select(
  pick(r, 'projectId', 'revision', 'target', 'total', 'done', 'startedAt', 'endedAt'),
)
export type PriceState = RowOf<typeof stateColumns>

/** Returns the prices of a project, in the order of their models and moments. */
export const findPrices = async (db: Database, projectId: string): Promise<PriceRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM prices q WHERE q.project_id = ${projectId}
    ORDER BY q.model, q.provider, q.valid_from`.execute(db)
  return rows
}

export const countPrices = async (db: Database, projectId: string): Promise<number> =>
  (await findPrices(db, projectId)).length

/** Creates a price, or replaces the one of the same model, provider and moment. */
export const upsertPrice = async (
  db: Database,
  projectId: string,
  price: Omit<PriceRow, 'tiers' | 'rates'> & { rates: unknown; tiers: unknown },
): Promise<void> => {
  await sql`
    INSERT INTO prices AS q ${valuesOf('prices', { projectId, ...price })}
    ON CONFLICT (project_id, model, provider, valid_from) DO UPDATE SET valid_until = excluded.valid_until,
      rates = excluded.rates, tiers = excluded.tiers, updated_at = excluded.updated_at`.execute(db)
}

/** Returns its model; undefined when there was no such price. */
export const deletePrice = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<string | undefined> => {
  const { rows } = await sql`
    DELETE FROM prices q WHERE q.project_id = ${projectId} AND q.id = ${id}
    RETURNING ${select(pick(q, 'model'))}`.execute(db)
  return rows[0]?.model
}

/** Returns the state of a project's prices; undefined before its first change. */
export const findPriceState = async (
  db: Database,
  projectId: string,
): Promise<PriceState | undefined> => {
  const { rows } = await sql`
    SELECT ${stateColumns} FROM price_states r WHERE r.project_id = ${projectId}`.execute(db)
  return rows[0]
}

/** Returns the repricings that are under way, or have ended after a moment. */
export const findRepricings = async (db: Database, endedAfter: Instant): Promise<PriceState[]> => {
  const { rows } = await sql`
    SELECT ${stateColumns} FROM price_states r
    WHERE r.started_at IS NOT NULL AND (r.ended_at IS NULL OR r.ended_at > ${endedAfter}::timestamptz)
    ORDER BY r.project_id`.execute(db)
  return rows
}

/**
 * Begins a new revision of a project's prices, and locks them until the transaction ends. A project without a state has
 * the first revision. Returns the state.
 */
export const beginRevision = async (db: Database, projectId: string): Promise<PriceState> => {
  const { rows } = await sql`
    INSERT INTO price_states AS r (project_id, revision, target, total, done)
    VALUES (${projectId}, 2, 1, 0, 0)
    ON CONFLICT (project_id) DO UPDATE SET revision = r.revision + 1
    RETURNING ${stateColumns}`.execute(db)
  return rows[0] as PriceState
}

/** Notes that all calls are to have the prices of the current revision. */
export const startRepricing = async (
  db: Database,
  projectId: string,
  total: number,
  startedAt: Instant,
): Promise<void> => {
  await sql`
    UPDATE price_states SET target = revision, total = ${total}::bigint, done = 0,
      started_at = ${startedAt}::timestamptz, ended_at = NULL
    WHERE project_id = ${projectId}`.execute(db)
}

/**
 * Adds to the number of calls that were priced anew for a target, up to all of them: calls that arrive meanwhile are
 * priced too. Returns false when another repricing is under way, or none.
 */
export const noteRepriced = async (
  db: Database,
  projectId: string,
  target: number,
  count: number,
): Promise<boolean> => {
  const { rows } = await sql`
    UPDATE price_states SET done = least(total, done + ${count}::bigint)
    WHERE project_id = ${projectId} AND target = ${target}::integer AND ended_at IS NULL
    RETURNING project_id`.execute(db)
  return rows.length > 0
}

/** Notes that no call is left with prices from before a target, whoever priced them. */
export const endRepricing = async (
  db: Database,
  projectId: string,
  target: number,
  endedAt: Instant,
): Promise<void> => {
  await sql`
    UPDATE price_states SET done = total, ended_at = ${endedAt}::timestamptz
    WHERE project_id = ${projectId} AND target = ${target}::integer AND ended_at IS NULL
      AND started_at IS NOT NULL`.execute(db)
}
