import { randomUUID } from 'node:crypto'
import type { Instant } from '../../kernel/instant.js'
import type { AlertRow } from '../../storage/alerts/alerts.js'
import type { AlertEventRow } from '../../storage/alerts/events.js'
import { bodyOf, pageOf } from './message.js'

/** Events of an alert that are kept. */
export const MAX_EVENTS = 200

/**
 * Returns a new event. With `nextCallAt` its webhook is called from then on, with a body that later changes of the alert
 * leave alone.
 */
export const eventOf = (
  alert: AlertRow,
  told: Pick<AlertEventRow, 'type' | 'state' | 'value' | 'message' | 'isQuiet' | 'createdAt'>,
  nextCallAt: Instant | null,
  publicUrl: string | undefined,
): AlertEventRow => {
  const { projectId } = alert
  const id = randomUUID()
  const url = pageOf(publicUrl, projectId, alert.id)
  return {
    projectId,
    id,
    alertId: alert.id,
    ...told,
    threshold: alert.threshold,
    callState: nextCallAt === null ? null : 'PENDING',
    callBody: nextCallAt === null ? null : bodyOf({ url, projectId, eventId: id, ...told, alert }),
    callAttempts: 0,
    callStatus: null,
    callError: null,
    calledAt: null,
    nextCallAt,
  }
}
