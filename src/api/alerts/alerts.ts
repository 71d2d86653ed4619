import {
  type AlertEventFieldsFragment,
  type AlertFieldsFragment,
  CreateAlertDocument,
  type CreateAlertMutationVariables,
  DeleteAlertDocument,
  GetAlertEventsDocument,
  type GetAlertEventsQueryVariables,
  GetAlertsDocument,
  RotateAlertSecretDocument,
  TestAlertDocument,
  UpdateAlertDocument,
  type UpdateAlertMutationVariables,
} from '../../../generated/operations.js'
import type {
  AlertQuietHoursInput,
  Alert as SchemaAlert,
  AlertWithSecret as SchemaAlertWithSecret,
  AlertEvent as SchemaEvent,
} from '../../../generated/schema.js'
import { camelKeys, type Snake, toCamel, toSnake } from '../../spelling.js'
import type { Transport } from '../../transport/transport.js'
import { type IdParam, idOf } from '../calls/raw.js'

/** A condition on the rows of a query, and the outcome of its last evaluation. */
export type Alert = Pick<SchemaAlert, keyof AlertFieldsFragment>
/** An event in the history of an alert. */
export type AlertEvent = Pick<SchemaEvent, keyof AlertEventFieldsFragment>

/** An alert, and the secret that signs its calls. */
export interface AlertWithSecret extends Pick<SchemaAlertWithSecret, 'secret'> {
  /** The alert. */
  alert: Alert
}

/** An alert, and the number of its newest events. */
export interface AlertEventsParams extends GetAlertEventsQueryVariables {
  /** The alert's id. */
  alertId: string
}

/** The rows, the condition on their value, and the webhook that hears of it. */
export interface CreateAlertParams extends CreateAlertMutationVariables {
  /** The name for people, at most 200 characters. */
  name: string
}

/** The fields of an alert to change. Absent fields keep their stored values. */
export interface AlertUpdate extends Omit<UpdateAlertMutationVariables, 'id'> {}

export const alertsApi = ({ call }: Transport) => {
  const getAlerts = async (): Promise<Alert[]> => (await call(GetAlertsDocument, {})).alerts
  const getAlertEvents = async (params: AlertEventsParams): Promise<AlertEvent[]> =>
    (await call(GetAlertEventsDocument, params)).alertEvents
  const createAlert = async (params: CreateAlertParams): Promise<AlertWithSecret> =>
    (await call(CreateAlertDocument, params)).createAlert
  const updateAlert = async (id: string, update: AlertUpdate): Promise<Alert> => {
    return (await call(UpdateAlertDocument, { ...update, id })).updateAlert
  }
  const deleteAlert = async (id: string): Promise<string | null> =>
    (await call(DeleteAlertDocument, { id })).deleteAlert?.id ?? null
  const testAlert = async (id: string): Promise<AlertEvent> =>
    (await call(TestAlertDocument, { id })).testAlert
  const rotateAlertSecret = async (id: string): Promise<AlertWithSecret> =>
    (await call(RotateAlertSecretDocument, { id })).rotateAlertSecret

  return {
    /**
     * Lists the alerts of the project, by name, with the outcome of their last evaluation.
     *
     * @returns the alerts, whose `state` and `value` are null before the first evaluation; an empty list when there are none.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { name, state, value } of await stepwell.api.getAlerts()) console.log(name, state, value)
     */
    getAlerts,
    /**
     * Lists the alerts of the project; `getAlerts` in the other spelling.
     *
     * @returns the alerts, whose `state` and `value` are null before the first evaluation; an empty list when there are none.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { name, evaluated_at } of await stepwell.api.get_alerts()) console.log(name, evaluated_at)
     */
    get_alerts: async (): Promise<Snake<Alert>[]> => toSnake(await getAlerts(), 'Alert'),

    /**
     * Lists the newest events of an alert: changes of its state, calls that were repeated, and tests. The service keeps the
     * newest 200 of each alert.
     *
     * @returns the events, the newest first, whose `call` is null when the webhook did not hear of them; an empty list when
     * there are none, or no alert has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty, or `first` is not from 1 to 200.
     * @scope `read`
     * @example
     * for (const { id } of await stepwell.api.getAlerts())
     *   for (const { state, call } of await stepwell.api.getAlertEvents({ alertId: id })) console.log(state, call?.status)
     */
    getAlertEvents,
    /**
     * Lists the newest events of an alert; `getAlertEvents` in the other spelling.
     *
     * @returns the events, the newest first, whose `call` is null when the webhook did not hear of them; an empty list when
     * there are none, or no alert has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty, or `first` is not from 1 to 200.
     * @scope `read`
     * @example
     * for (const { id } of await stepwell.api.get_alerts())
     *   for (const { is_quiet } of await stepwell.api.get_alert_events({ alert_id: id, first: 5 })) console.log(is_quiet)
     */
    get_alert_events: async (params: Snake<AlertEventsParams>): Promise<Snake<AlertEvent>[]> =>
      toSnake(await getAlertEvents(camelKeys<AlertEventsParams>(params)), 'AlertEvent'),

    /**
     * Creates an alert, which the service evaluates about once a minute. It calls the webhook when the condition begins to
     * hold, and when it no longer does. Durations are seconds, costs dollars, and an `ERROR_RATE` is a share from 0 to 1.
     *
     * @returns the alert, and the secret that signs its calls, which is shown here and never again.
     * @throws `INVALID_ARGUMENT` when the query can't be read, when the name is empty or too long, when the metric is none of
     * the subject, when `windowMinutes` or `repeatMinutes` is not from 5 to 10,080, when quiet hours have no period or no
     * known time zone, or when the URL is not `https` or leads to a private address that the operator does not allow.
     * @throws `TOO_LARGE` when the project has 100 alerts.
     * @scope `write`
     * @example
     * const { alert, secret } = await stepwell.api.createAlert({
     *   name: 'Failed tools',
     *   subject: 'STEPS',
     *   query: 'type=tool',
     *   metric: 'ERROR_COUNT',
     *   comparison: 'ABOVE',
     *   threshold: 10,
     *   windowMinutes: 15,
     *   webhookUrl: 'https://hooks.example.org/alerts',
     * })
     * console.log(alert.id, secret)
     */
    createAlert,
    /**
     * Creates an alert; `createAlert` in the other spelling.
     *
     * @returns the alert, and the secret that signs its calls, which is shown here and never again.
     * @throws `INVALID_ARGUMENT` when the query can't be read, when the name is empty or too long, when the metric is none of
     * the subject, when `window_minutes` or `repeat_minutes` is not from 5 to 10,080, when quiet hours have no period or no
     * known time zone, or when the URL is not `https` or leads to a private address that the operator does not allow.
     * @throws `TOO_LARGE` when the project has 100 alerts.
     * @scope `write`
     * @example
     * const { alert } = await stepwell.api.create_alert({
     *   name: 'Slow answers',
     *   subject: 'GENERATIONS',
     *   metric: 'DURATION_P95',
     *   comparison: 'ABOVE',
     *   threshold: 30,
     *   window_minutes: 60,
     *   quiet_hours: { time_zone: 'Europe/Berlin', periods: [{ days: ['SATURDAY', 'SUNDAY'], from: '00:00', to: '24:00' }] },
     *   webhook_url: 'https://hooks.example.org/alerts',
     * })
     * console.log(alert.webhook_host)
     */
    create_alert: async (params: Snake<CreateAlertParams>): Promise<Snake<AlertWithSecret>> =>
      toSnake(await createAlert(camelAlert<CreateAlertParams>(params)), 'AlertWithSecret'),

    /**
     * Changes an alert, which is evaluated again soon. Absent fields keep their stored values. Null clears `environment`,
     * `repeatMinutes` and `quietHours`, and changes no other field.
     *
     * @returns the alert as it is stored now.
     * @throws `INVALID_ARGUMENT` when the id is empty, or a field is one that `createAlert` does not take.
     * @throws `NOT_FOUND` when no alert has this id.
     * @scope `write`
     * @example
     * await stepwell.api.updateAlert(alertId, { threshold: 20, isPaused: false })
     */
    updateAlert,
    /**
     * Changes an alert; `updateAlert` in the other spelling.
     *
     * @returns the alert as it is stored now.
     * @throws `INVALID_ARGUMENT` when the id is empty, or a field is one that `create_alert` does not take.
     * @throws `NOT_FOUND` when no alert has this id.
     * @scope `write`
     * @example
     * await stepwell.api.update_alert({ id: alertId, repeat_minutes: 60, is_paused: false })
     */
    update_alert: async (
      params: {
        /** The alert's id. */
        id: string
      } & Snake<AlertUpdate>,
    ): Promise<Snake<Alert>> => {
      const { id, ...update } = camelAlert<{ id: string } & AlertUpdate>(params)
      return toSnake(await updateAlert(id, update), 'Alert')
    },

    /**
     * Deletes an alert, its history and its pending calls.
     *
     * @returns the id; null when no alert had it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * if ((await stepwell.api.deleteAlert(alertId)) === null) console.log('there was no such alert')
     */
    deleteAlert,
    /**
     * Deletes an alert; `deleteAlert` in the other spelling.
     *
     * @returns the id; null when no alert had it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * await stepwell.api.delete_alert({ id: alertId })
     */
    delete_alert: (alert: IdParam): Promise<string | null> => deleteAlert(idOf(alert)),

    /**
     * Calls the webhook of an alert once, at once, with an event that is marked as a test. A paused alert is called too.
     *
     * @returns the event, whose `call` is `DELIVERED`, or `FAILED` with an error: a webhook that fails is no error of this
     * operation.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @throws `NOT_FOUND` when no alert has this id.
     * @throws `RATE_LIMITED` when the alert was tested ten times in the last minute.
     * @scope `write`
     * @example
     * const { call } = await stepwell.api.testAlert(alertId)
     * console.log(call?.state, call?.error)
     */
    testAlert,
    /**
     * Calls the webhook of an alert once; `testAlert` in the other spelling.
     *
     * @returns the event, whose `call` is `DELIVERED`, or `FAILED` with an error: a webhook that fails is no error of this
     * operation.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @throws `NOT_FOUND` when no alert has this id.
     * @throws `RATE_LIMITED` when the alert was tested ten times in the last minute.
     * @scope `write`
     * @example
     * const { call } = await stepwell.api.test_alert({ id: alertId })
     * console.log(call?.state, call?.called_at)
     */
    test_alert: async (alert: IdParam): Promise<Snake<AlertEvent>> =>
      toSnake(await testAlert(idOf(alert)), 'AlertEvent'),

    /**
     * Replaces the secret that signs the calls of an alert. Calls are signed with the new one from then on.
     *
     * @returns the alert, and the new secret, which is shown here and never again.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @throws `NOT_FOUND` when no alert has this id.
     * @scope `write`
     * @example
     * const { secret } = await stepwell.api.rotateAlertSecret(alertId)
     * console.log(secret)
     */
    rotateAlertSecret,
    /**
     * Replaces the secret that signs the calls of an alert; `rotateAlertSecret` in the other spelling.
     *
     * @returns the alert, and the new secret, which is shown here and never again.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @throws `NOT_FOUND` when no alert has this id.
     * @scope `write`
     * @example
     * const { alert, secret } = await stepwell.api.rotate_alert_secret({ id: alertId })
     * console.log(alert.webhook_host, secret)
     */
    rotate_alert_secret: async (alert: IdParam): Promise<Snake<AlertWithSecret>> =>
      toSnake(await rotateAlertSecret(idOf(alert)), 'AlertWithSecret'),
  }
}

/** Renames the parameters of a call, and those of its quiet hours. */
const camelAlert = <Params extends { quietHours?: AlertQuietHoursInput | null | undefined }>(
  params: Snake<Params>,
): Params => {
  const given = camelKeys<Params>(params)
  return given.quietHours == null
    ? given
    : { ...given, quietHours: toCamel(given.quietHours as never, 'AlertQuietHoursInput') }
}
