import type { AlertCallState, AlertEventType, AlertState } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { alertEvents } from '../../database/rows/tables.js'
import { assignments, type Changes, valuesOf } from '../../database/rows/writes.js'
import type { Instant } from '../../kernel/instant.js'
import { hasCome } from './due.js'

const columns = select({
  ...pick(
    alertEvents,
    'projectId',
    'id',
    'alertId',
    'value',
    'threshold',
    'message',
    'isQuiet',
    'createdAt',
    'callBody',
    'callAttempts',
    'callStatus',
    'callError',
    'calledAt',
    'nextCallAt',
  ),
  type: alertEvents.type.narrow<AlertEventType>(),
  state: alertEvents.state.narrow<AlertState | null>(),
  callState: alertEvents.callState.narrow<AlertCallState | null>(),
})

export type AlertEventRow = RowOf<typeof columns>

/** An event of a project. */
export interface AlertEventKey {
  projectId: string
  id: string
}

const ofAlert = (projectId: string, alertId: string) =>
  sql`alert_events.project_id = ${projectId} AND alert_events.alert_id = ${alertId}`
const newestFirst = sql`ORDER BY alert_events.created_at DESC, alert_events.id DESC`

/** Lists the newest events of an alert. */
export const listEvents = async (
  db: Database,
  projectId: string,
  alertId: string,
  most: number,
): Promise<AlertEventRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM alert_events WHERE ${ofAlert(projectId, alertId)}
    ${newestFirst} LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}

/** Inserts an event, and deletes the oldest ones of its alert beyond a number. */
export const insertEvent = async (
  db: Database,
  event: AlertEventRow,
  most: number,
): Promise<void> => {
  await sql`INSERT INTO alert_events ${valuesOf('alert_events', event)}`.execute(db)
  const { projectId, alertId } = event
  await sql`
    DELETE FROM alert_events WHERE ${ofAlert(projectId, alertId)} AND id NOT IN (
      SELECT alert_events.id FROM alert_events WHERE ${ofAlert(projectId, alertId)}
      ${newestFirst} LIMIT ${sql.lit(most)})`.execute(db)
}

export const deleteEvents = async (
  db: Database,
  projectId: string,
  alertId: string,
): Promise<void> => {
  await sql`DELETE FROM alert_events WHERE ${ofAlert(projectId, alertId)}`.execute(db)
}

/** Counts the tests of an alert since a moment. */
export const countTests = async (
  db: Database,
  projectId: string,
  alertId: string,
  since: Instant,
): Promise<number> => {
  const { rows } = await sql`
    SELECT ${select({ count: cast('bigint', sql`count(*)`) })} FROM alert_events
    WHERE ${ofAlert(projectId, alertId)} AND alert_events.type = 'TEST'
      AND alert_events.created_at > ${since}::timestamptz`.execute(db)
  return rows[0]?.count ?? 0
}

const due = select(pick(alertEvents, 'projectId', 'id', 'callAttempts', 'createdAt'))

/**
 * Returns calls that are due, of each project one, then of each a second. Of an alert only its oldest, so that a webhook
 * hears all in order.
 */
export const findDueCalls = async (
  db: Database,
  now: Instant,
  most: number,
): Promise<RowOf<typeof due>[]> => {
  const { rows } = await sql`
    SELECT ${due} FROM (
      SELECT oldest.*, row_number() OVER (PARTITION BY project_id ORDER BY next_call_at, id) AS turn FROM (
        SELECT DISTINCT ON (project_id, alert_id) project_id, alert_id, id, call_attempts, created_at, next_call_at
        FROM alert_events WHERE call_state = 'PENDING'
        ORDER BY project_id, alert_id, created_at, id) AS oldest
      WHERE ${hasCome(sql`next_call_at`, now)}) AS alert_events
    ORDER BY turn, next_call_at, project_id, id LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}

/** Begins an attempt of a call; `next` is when others may try again. Returns undefined when another process was faster. */
export const beginCall = async (
  db: Database,
  { projectId, id }: AlertEventKey,
  now: Instant,
  next: Instant,
): Promise<AlertEventRow | undefined> => {
  const { rows } = await sql`
    UPDATE alert_events SET call_attempts = call_attempts + 1, next_call_at = ${next}::timestamptz
    WHERE project_id = ${projectId} AND id = ${id} AND call_state = 'PENDING'
      AND ${hasCome(sql`next_call_at`, now)}
    RETURNING ${columns}`.execute(db)
  return rows[0]
}

/** Stores the outcome of an attempt. */
export const endCall = async (
  db: Database,
  { projectId, id }: AlertEventKey,
  changes: Changes<'alert_events'>,
): Promise<void> => {
  await sql`
    UPDATE alert_events SET ${assignments('alert_events', changes) ?? sql`id = id`}
    WHERE project_id = ${projectId} AND id = ${id} AND call_state = 'PENDING'`.execute(db)
}
