import { randomUUID } from 'node:crypto'
import type {
  MutationCreateAlertArgs,
  MutationUpdateAlertArgs,
} from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { inTransaction } from '../../database/transactions/attempts.js'
import type { Caller } from '../../kernel/caller.js'
import { DomainError, notFound, within } from '../../kernel/errors.js'
import type { Instant } from '../../kernel/instant.js'
import {
  type AlertRow,
  countAlerts,
  deleteAlert,
  findAlert,
  insertAlert,
  listAlerts,
  updateAlert,
} from '../../storage/alerts/alerts.js'
import {
  type AlertEventRow,
  countTests,
  deleteEvents,
  insertEvent,
  listEvents,
} from '../../storage/alerts/events.js'
import { changedFields, noteFor } from '../audit/entry.js'
import type { Sealing } from '../models/sealing.js'
import type { Values } from '../values.js'
import { type AlertCalls, RETRY_MS } from './calls.js'
import { checkDefinition } from './definition.js'
import { eventOf, MAX_EVENTS } from './event.js'
import { checkQuietHours, isQuiet } from './quiet-hours.js'
import { contextOf } from './sealed.js'
import { newSecret } from './signature.js'
import { later } from './time.js'
import { checkWebhookUrl } from './webhook-url.js'

const MAX_ALERTS = 100
const EVENTS = 50
/** Tests of an alert in a minute. */
const MAX_TESTS = 10

export interface AlertsOptions {
  db: Database
  values: Values
  sealing: Sealing
  /** Hosts of private networks that the operator allows. */
  allowed: readonly string[]
  /** The time, which is the same for all processes of the service. */
  now: () => Promise<Instant>
  calls: AlertCalls
  /** The URL of the service, for links in calls. */
  publicUrl: string | undefined
}

/** Conditions on the rows of queries, with webhooks that hear of them. */
export class Alerts {
  readonly #options: AlertsOptions

  constructor(options: AlertsOptions) {
    this.#options = options
  }

  list({ projectId }: Caller): Promise<AlertRow[]> {
    return listAlerts(this.#options.db, projectId)
  }

  async events(
    { projectId }: Caller,
    alertId: string,
    first: number | null | undefined,
  ): Promise<AlertEventRow[]> {
    this.#options.values.requiredId('alertId', alertId)
    const most = within('first', first ?? EVENTS, 1, MAX_EVENTS)
    return listEvents(this.#options.db, projectId, alertId, most)
  }

  async create(
    caller: Caller,
    { webhookUrl, quietHours, ...args }: MutationCreateAlertArgs,
  ): Promise<{ alert: AlertRow; secret: string }> {
    const { projectId } = caller
    const { allowed, now: time } = this.#options
    const definition = {
      ...args,
      query: args.query ?? '',
      environment: args.environment ?? null,
      repeatMinutes: args.repeatMinutes ?? null,
    }
    checkDefinition(definition)
    const url = checkWebhookUrl(webhookUrl, allowed)
    const id = randomUUID()
    const secret = newSecret()
    const now = await time()
    const alert: AlertRow = {
      projectId,
      id,
      ...definition,
      quietHours: quietHours == null ? null : checkQuietHours(quietHours),
      ...this.#sealedUrl(projectId, id, url),
      ...this.#sealedSecret(projectId, id, secret),
      isPaused: false,
      state: null,
      stateSince: null,
      value: null,
      message: null,
      evaluatedAt: null,
      toldState: null,
      toldAt: null,
      createdAt: now,
      updatedAt: now,
    }
    await this.#change(async (transaction) => {
      if ((await countAlerts(transaction, projectId)) >= MAX_ALERTS)
        throw new DomainError('TOO_LARGE', `a project has at most ${MAX_ALERTS} alerts; delete one`)
      await insertAlert(transaction, alert)
      await noteFor(transaction, caller, {
        action: 'CREATE_ALERT',
        on: 'ALERT',
        id,
        name: alert.name,
      })
    })
    return { alert, secret }
  }

  async update(
    caller: Caller,
    {
      id,
      webhookUrl,
      quietHours,
      isPaused,
      environment,
      repeatMinutes,
      ...args
    }: MutationUpdateAlertArgs,
  ): Promise<AlertRow> {
    const { projectId } = caller
    const { allowed, now: time, values } = this.#options
    values.requiredId('id', id)
    const url = webhookUrl == null ? undefined : checkWebhookUrl(webhookUrl, allowed)
    const quiet = quietHours == null ? quietHours : checkQuietHours(quietHours)
    const now = await time()
    return this.#change(async (transaction) => {
      const stored = await findAlert(transaction, { projectId, id }, true)
      if (stored === undefined) throw notFound('alert', id)
      const definition = {
        name: args.name ?? stored.name,
        subject: args.subject ?? stored.subject,
        query: args.query ?? stored.query,
        environment: environment === undefined ? stored.environment : environment,
        metric: args.metric ?? stored.metric,
        comparison: args.comparison ?? stored.comparison,
        threshold: args.threshold ?? stored.threshold,
        windowMinutes: args.windowMinutes ?? stored.windowMinutes,
        repeatMinutes: repeatMinutes === undefined ? stored.repeatMinutes : repeatMinutes,
      }
      checkDefinition(definition)
      const changes = {
        ...definition,
        quietHours: quiet === undefined ? stored.quietHours : quiet,
        ...(url === undefined ? {} : this.#sealedUrl(projectId, id, url)),
        isPaused: isPaused ?? stored.isPaused,
        updatedAt: now,
      }
      await updateAlert(transaction, { projectId, id }, changes)
      await noteFor(transaction, caller, {
        action: 'UPDATE_ALERT',
        on: 'ALERT',
        id,
        name: changes.name,
        fields: changedSettings(stored, changes),
      })
      return { ...stored, ...changes }
    })
  }

  async delete(caller: Caller, id: string): Promise<{ id: string } | null> {
    const { projectId } = caller
    this.#options.values.requiredId('id', id)
    return this.#change(async (transaction) => {
      const name = await deleteAlert(transaction, { projectId, id })
      if (name === undefined) return null
      await deleteEvents(transaction, projectId, id)
      await noteFor(transaction, caller, { action: 'DELETE_ALERT', on: 'ALERT', id, name })
      return { id }
    })
  }

  /** Calls the webhook once, at once. */
  async test({ projectId }: Caller, id: string): Promise<AlertEventRow> {
    const { calls, now: time, publicUrl, values } = this.#options
    values.requiredId('id', id)
    const now = await time()
    const event = await this.#change(async (transaction) => {
      const alert = await findAlert(transaction, { projectId, id }, true)
      if (alert === undefined) throw notFound('alert', id)
      if ((await countTests(transaction, projectId, id, later(now, -60_000))) >= MAX_TESTS)
        throw new DomainError(
          'RATE_LIMITED',
          `expected at most ${MAX_TESTS} tests of an alert in a minute; try again later`,
        )
      const { state, value, message } = alert
      const told = { type: 'TEST' as const, state, value, message, createdAt: now }
      // Begun, so that no process makes the call as well.
      const next = later(now, RETRY_MS)
      const tested = {
        ...eventOf(alert, { ...told, isQuiet: isQuiet(alert.quietHours, now) }, next, publicUrl),
        callAttempts: 1,
      }
      await insertEvent(transaction, tested, MAX_EVENTS)
      return tested
    })
    return calls.deliver(event, true)
  }

  /** Replaces the secret of an alert. */
  async rotate(caller: Caller, id: string): Promise<{ alert: AlertRow; secret: string }> {
    const { projectId } = caller
    this.#options.values.requiredId('id', id)
    const secret = newSecret()
    const now = await this.#options.now()
    const alert = await this.#change(async (transaction) => {
      const stored = await findAlert(transaction, { projectId, id }, true)
      if (stored === undefined) throw notFound('alert', id)
      const changes = { ...this.#sealedSecret(projectId, id, secret), updatedAt: now }
      await updateAlert(transaction, { projectId, id }, changes)
      await noteFor(transaction, caller, {
        action: 'ROTATE_ALERT_SECRET',
        on: 'ALERT',
        id,
        name: stored.name,
      })
      return { ...stored, ...changes }
    })
    return { alert, secret }
  }

  #change<Result>(work: (transaction: Database) => Promise<Result>): Promise<Result> {
    return inTransaction(this.#options.db, work)
  }

  #sealedUrl(projectId: string, id: string, url: URL) {
    const sealedUrl = this.#options.sealing.seal(url.href, contextOf(projectId, id))
    return { webhookHost: url.host, sealedUrl }
  }

  #sealedSecret(projectId: string, id: string, secret: string) {
    return { sealedSecret: this.#options.sealing.seal(secret, contextOf(projectId, id)) }
  }
}

/** Returns the names of the settings that change. A URL is sealed anew each time, so that it counts once it is given. */
const changedSettings = (stored: AlertRow, changes: Partial<AlertRow>): string[] => {
  const { updatedAt: _, sealedUrl, webhookHost: __, ...settings } = changes
  const before = Object.keys(settings).map((name) => [name, stored[name as keyof AlertRow]])
  return [
    ...changedFields(Object.fromEntries(before), settings),
    ...(sealedUrl === undefined ? [] : ['webhookUrl']),
  ]
}
