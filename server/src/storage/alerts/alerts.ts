import type {
  AlertComparison,
  AlertMetric,
  AlertState,
  AlertSubject,
  Weekday,
} from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { alerts } from '../../database/rows/tables.js'
import { assignments, type Changes, valuesOf } from '../../database/rows/writes.js'
import { lockAlone } from '../../database/transactions/locks.js'
import type { Instant } from '../../kernel/instant.js'
import { hasCome } from './due.js'

/** Quiet hours as they are stored. */
export interface StoredQuietHours {
  timeZone: string
  periods: { days: Weekday[]; from: string; to: string }[]
}

const columns = select({
  ...pick(
    alerts,
    'projectId',
    'id',
    'name',
    'query',
    'environment',
    'threshold',
    'windowMinutes',
    'repeatMinutes',
    'webhookHost',
    'sealedUrl',
    'sealedSecret',
    'isPaused',
    'stateSince',
    'value',
    'message',
    'evaluatedAt',
    'toldAt',
    'createdAt',
    'updatedAt',
  ),
  subject: alerts.subject.narrow<AlertSubject>(),
  metric: alerts.metric.narrow<AlertMetric>(),
  comparison: alerts.comparison.narrow<AlertComparison>(),
  quietHours: alerts.quietHours.narrow<StoredQuietHours | null>(),
  state: alerts.state.narrow<AlertState | null>(),
  toldState: alerts.toldState.narrow<Exclude<AlertState, 'NO_DATA'> | null>(),
})

export type AlertRow = RowOf<typeof columns>

/** An alert of a project. */
export interface AlertKey {
  projectId: string
  id: string
}

/** Lists alerts by name. */
export const listAlerts = async (db: Database, projectId: string): Promise<AlertRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM alerts WHERE alerts.project_id = ${projectId}
    ORDER BY alerts.name, alerts.id`.execute(db)
  return rows
}

/** Finds an alert. With `isChanging`, others wait to change it until the transaction ends. */
export const findAlert = async (
  db: Database,
  { projectId, id }: AlertKey,
  isChanging = false,
): Promise<AlertRow | undefined> => {
  const { rows } = await sql`
    SELECT ${columns} FROM alerts WHERE alerts.project_id = ${projectId} AND alerts.id = ${id}
    ${isChanging ? sql`FOR UPDATE` : sql``}`.execute(db)
  return rows[0]
}

/** Counts the alerts of a project, and lets one transaction after the other do so. */
export const countAlerts = async (db: Database, projectId: string): Promise<number> => {
  await lockAlone(db, 'settings', projectId, ['alerts'])
  const { rows } = await sql`
    SELECT ${select({ count: cast('bigint', sql`count(*)`) })} FROM alerts WHERE alerts.project_id = ${projectId}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Inserts an alert that is due at once. */
export const insertAlert = async (db: Database, alert: AlertRow): Promise<void> => {
  await sql`INSERT INTO alerts ${valuesOf('alerts', { ...alert, dueAt: alert.createdAt })}`.execute(
    db,
  )
}

/** Updates an alert, and makes it due at once. The outcome of an evaluation under way is dropped. */
export const updateAlert = async (
  db: Database,
  { projectId, id }: AlertKey,
  changes: Changes<'alerts'>,
): Promise<void> => {
  await sql`
    UPDATE alerts SET ${assignments('alerts', { ...changes, dueAt: changes.updatedAt, lease: null, leasedUntil: null }) ?? sql`id = id`}
    WHERE project_id = ${projectId} AND id = ${id}`.execute(db)
}

/** Returns its name; undefined when there was none. */
export const deleteAlert = async (
  db: Database,
  { projectId, id }: AlertKey,
): Promise<string | undefined> => {
  const { rows } = await sql`
    DELETE FROM alerts WHERE project_id = ${projectId} AND id = ${id}
    RETURNING ${select(pick(alerts, 'name'))}`.execute(db)
  return rows[0]?.name
}

const isDue = (now: Instant) => sql`
  NOT alerts.is_paused AND ${hasCome(sql`alerts.due_at`, now)}
  AND (alerts.leased_until IS NULL OR ${hasCome(sql`alerts.leased_until`, now)})`

/** Returns alerts that are due, those that wait longest first: of each project one, then of each a second. */
export const findDueAlerts = async (
  db: Database,
  now: Instant,
  most: number,
): Promise<AlertKey[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(alerts, 'projectId', 'id'))} FROM (
      SELECT alerts.project_id, alerts.id, alerts.due_at,
        row_number() OVER (PARTITION BY alerts.project_id ORDER BY alerts.due_at, alerts.id) AS turn
      FROM alerts WHERE ${isDue(now)}) AS alerts
    ORDER BY turn, alerts.due_at, alerts.project_id, alerts.id LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}

/** Leases an alert for an evaluation; returns undefined when another process was faster. */
export const leaseAlert = async (
  db: Database,
  { projectId, id }: AlertKey,
  { lease, now, until }: { lease: string; now: Instant; until: Instant },
): Promise<AlertRow | undefined> => {
  const { rows } = await sql`
    UPDATE alerts SET ${assignments('alerts', { lease, leasedUntil: until })}
    WHERE alerts.project_id = ${projectId} AND alerts.id = ${id} AND ${isDue(now)}
    RETURNING ${columns}`.execute(db)
  return rows[0]
}

/** Stores the outcome of an evaluation, and ends its lease. Returns false when the lease was lost. */
export const settleAlert = async (
  db: Database,
  { projectId, id }: AlertKey,
  lease: string,
  changes: Changes<'alerts'>,
): Promise<boolean> => {
  const { rows } = await sql`
    UPDATE alerts SET ${assignments('alerts', { ...changes, lease: null, leasedUntil: null }) ?? sql`id = id`}
    WHERE project_id = ${projectId} AND id = ${id} AND lease = ${lease} RETURNING id`.execute(db)
  return rows.length > 0
}
