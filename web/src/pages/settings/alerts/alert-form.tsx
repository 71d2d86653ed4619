import { useState } from 'react'
import {
  CreateAlertDocument,
  GetAlertsDocument,
  UpdateAlertDocument,
} from '../../../../generated/operations.js'
import { read, useChange } from '../../../data/use-data.js'
import { Field } from '../../../ui/field.js'
import { FormDialog } from '../../../ui/forms/form-dialog.js'
import { useOwnChanges } from '../../../ui/forms/own-changes.js'
import { newQuietHours, QuietHoursFields } from './quiet-hours-fields.js'
import {
  type Alert,
  METRICS,
  type Metric,
  metricsOf,
  type Start,
  SUBJECTS,
  type Subject,
  WINDOWS,
  windowName,
} from './words.js'

const ENVIRONMENTS = ['dev', 'staging', 'prod', 'experiment']
const REPEATS = [null, 15, 60, 360, 1440]

/** The parts of an alert, as people know them. Rows and value are one part, as each of them limits the others. */
const TITLES = {
  name: 'Name',
  watched: 'Rows and value',
  comparison: 'Fires',
  threshold: 'Threshold',
  windowMinutes: 'Over the last',
  repeatMinutes: 'Call again',
  quietHours: 'Quiet hours',
} as const

type Settings = Pick<
  Alert,
  'subject' | 'query' | 'environment' | 'metric' | Exclude<keyof typeof TITLES, 'watched'>
>

const partsOf = ({ subject, query, environment, metric, ...rest }: Settings) => ({
  watched: { subject, query, environment, metric },
  name: rest.name,
  comparison: rest.comparison,
  threshold: rest.threshold,
  windowMinutes: rest.windowMinutes,
  repeatMinutes: rest.repeatMinutes,
  quietHours: rest.quietHours,
})

/** Creates or changes an alert. */
export const AlertForm = ({
  alert,
  start,
  onClose,
  onDone,
}: {
  /** Undefined for a new one. */
  alert: Alert | undefined
  start: Start | undefined
  onClose: () => void
  /** Receives the secret of a new alert. */
  onDone: (secret: string | undefined) => void
}) => {
  const create = useChange(CreateAlertDocument)
  const update = useChange(UpdateAlertDocument)
  const [name, setName] = useState(alert?.name ?? start?.name ?? '')
  const [subject, setSubject] = useState<Subject>(alert?.subject ?? start?.subject ?? 'STEPS')
  const [query, setQuery] = useState(alert?.query ?? start?.query ?? '')
  const [environment, setEnvironment] = useState(alert?.environment ?? start?.environment ?? null)
  const [metric, setMetric] = useState<Metric>(
    alert?.metric ?? (subject === 'SCORES' ? 'SCORE_MEAN' : 'ERROR_COUNT'),
  )
  const [comparison, setComparison] = useState<Alert['comparison']>(alert?.comparison ?? 'ABOVE')
  const [threshold, setThreshold] = useState(String(alert?.threshold ?? ''))
  const [windowMinutes, setWindow] = useState(alert?.windowMinutes ?? 15)
  const [repeatMinutes, setRepeat] = useState(alert?.repeatMinutes ?? null)
  const [quietHours, setQuietHours] = useState(alert?.quietHours ?? null)
  const [webhookUrl, setWebhookUrl] = useState('')
  const given: Settings = {
    name: name.trim(),
    subject,
    query,
    environment: subject === 'SCORES' ? null : environment,
    metric,
    comparison,
    threshold: Number(threshold),
    windowMinutes,
    repeatMinutes,
    quietHours,
  }
  const own = useOwnChanges(partsOf(alert ?? given), TITLES)
  return (
    <FormDialog
      title={alert === undefined ? 'Add an alert' : 'Change the alert'}
      send="Save"
      onClose={onClose}
      onSend={async (isOpen) => {
        if (alert === undefined) {
          const { createAlert } = await create({ ...given, webhookUrl })
          // Closed before the secret is shown in a dialog of its own, which keeps the focus.
          if (isOpen()) onClose()
          onDone(createAlert.secret)
        } else {
          const { alerts } = await read(GetAlertsDocument, {})
          const stored = alerts.find(({ id }) => id === alert.id)
          const { watched, ...changes } = own.changes(partsOf(given), stored && partsOf(stored))
          await update({ ...watched, ...changes, id: alert.id, webhookUrl: webhookUrl || null })
          onDone(undefined)
        }
      }}
    >
      <Field name="name" label="Name">
        {(control) => (
          <input
            {...control}
            // biome-ignore lint/a11y/noAutofocus: the dialog's first field
            autoFocus
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label="Rows">
        {(control) => (
          <select
            {...control}
            value={subject}
            onChange={(event) => {
              const next = event.target.value as Subject
              setSubject(next)
              if (!metricsOf(next).includes(metric)) setMetric(metricsOf(next)[0] as Metric)
            }}
          >
            {Object.entries(SUBJECTS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        name="query"
        label="Query"
        hint="As in the filter of the list; a copy of its own. Empty for all."
      >
        {(control) => (
          <input
            {...control}
            spellCheck={false}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
        )}
      </Field>
      {subject !== 'SCORES' && (
        <Field name="environment" label="Environment">
          {(control) => (
            <select
              {...control}
              value={environment ?? ''}
              onChange={(event) => setEnvironment(event.target.value || null)}
            >
              <option value="">all</option>
              {ENVIRONMENTS.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field name="metric" label="Value">
        {(control) => (
          <select
            {...control}
            value={metric}
            onChange={(event) => setMetric(event.target.value as Metric)}
          >
            {metricsOf(subject).map((one) => (
              <option key={one} value={one}>
                {METRICS[one]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div className="row">
        <Field label="Fires">
          {(control) => (
            <select
              {...control}
              value={comparison}
              onChange={(event) => setComparison(event.target.value as Alert['comparison'])}
            >
              <option value="ABOVE">above</option>
              <option value="BELOW">below</option>
            </select>
          )}
        </Field>
        <Field name="threshold" label="Threshold">
          {(control) => (
            <input
              {...control}
              required
              type="number"
              step="any"
              value={threshold}
              onChange={(event) => setThreshold(event.target.value)}
            />
          )}
        </Field>
      </div>
      <div className="row">
        <Field name="windowMinutes" label="Over the last">
          {(control) => (
            <select
              {...control}
              value={windowMinutes}
              onChange={(event) => setWindow(Number(event.target.value))}
            >
              {[...new Set([...WINDOWS.map(([minutes]) => minutes), windowMinutes])].map((one) => (
                <option key={one} value={one}>
                  {windowName(one)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field name="repeatMinutes" label="Call again while it fires">
          {(control) => (
            <select
              {...control}
              value={repeatMinutes ?? ''}
              onChange={(event) => setRepeat(Number(event.target.value) || null)}
            >
              {[...new Set([...REPEATS, repeatMinutes])].map((one) => (
                <option key={one ?? ''} value={one ?? ''}>
                  {one === null ? 'never' : `every ${windowName(one)}`}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Field
        name="webhookUrl"
        label="Webhook URL"
        hint={
          alert === undefined
            ? 'Private hosts need the operator’s --webhook-hosts.'
            : `Empty: it stays at ${alert.webhookHost}.`
        }
      >
        {(control) => (
          <input
            {...control}
            required={alert === undefined}
            type="url"
            autoComplete="off"
            value={webhookUrl}
            onChange={(event) => setWebhookUrl(event.target.value)}
          />
        )}
      </Field>
      <label className="row">
        <input
          type="checkbox"
          checked={quietHours !== null}
          onChange={() => setQuietHours(quietHours === null ? newQuietHours() : null)}
        />
        Call nobody in quiet hours
      </label>
      {quietHours !== null && <QuietHoursFields value={quietHours} onChange={setQuietHours} />}
    </FormDialog>
  )
}
