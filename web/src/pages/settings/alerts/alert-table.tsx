import { Link } from 'wouter'
import { choice, visible } from '../../../format/text.js'
import { Label, Time } from '../../../table/cells.js'
import { ConfirmButton } from '../../../ui/confirm-button.js'
import { Icon } from '../../../ui/icons.js'
import { type Alert, conditionOf, listOf, STATES, shownValue } from './words.js'

/** The alerts of a project: the worst state is the plainest. */
export const AlertTable = ({
  alerts,
  shownId,
  mayWrite,
  onShow,
  onEdit,
  onPause,
  onTest,
  onDelete,
}: {
  alerts: readonly Alert[]
  /** The alert whose history is shown. */
  shownId: string | undefined
  mayWrite: boolean
  onShow: (id: string) => void
  onEdit: (alert: Alert) => void
  onPause: (alert: Alert) => void
  onTest: (alert: Alert) => void
  onDelete: (alert: Alert) => Promise<unknown>
}) => (
  <div style={{ overflowX: 'auto' }}>
    <table className="table stacks" aria-label="Alerts" style={{ tableLayout: 'auto' }}>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">Name</th>
          <th scope="col">Rows</th>
          <th scope="col" className="right">
            Last value
          </th>
          <th scope="col">Evaluated</th>
          <th scope="col">Webhook</th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {alerts.map((alert) => (
          <tr key={alert.id}>
            <td>
              <StateText alert={alert} />
            </td>
            <td className="main-cell" style={{ whiteSpace: 'normal', minWidth: 160 }}>
              <bdi>{choice(alert.name, 200)}</bdi>
              <p className="quiet">{conditionOf(alert)}</p>
            </td>
            <td className="mono clip" style={{ maxWidth: 220 }} title={alert.query}>
              <Link href={listOf(alert)}>{visible(alert.query) || 'all'}</Link>
            </td>
            <td className="right">
              <Label>last value</Label>
              {shownValue(alert.metric, alert.value)}
            </td>
            <td>
              <Label>evaluated</Label>
              <Time at={alert.evaluatedAt} />
            </td>
            <td className="mono clip" style={{ maxWidth: 160 }} title={alert.webhookHost}>
              {alert.webhookHost}
            </td>
            <td className="right">
              <span className="row wrap" style={{ justifyContent: 'flex-end' }}>
                <button
                  type="button"
                  className="button small"
                  aria-expanded={alert.id === shownId}
                  onClick={() => onShow(alert.id)}
                >
                  History
                </button>
                {mayWrite && (
                  <>
                    <button type="button" className="button small" onClick={() => onTest(alert)}>
                      Test
                    </button>
                    <button type="button" className="button small" onClick={() => onEdit(alert)}>
                      Change
                    </button>
                    <button type="button" className="button small" onClick={() => onPause(alert)}>
                      {alert.isPaused ? 'Resume' : 'Pause'}
                    </button>
                    <ConfirmButton
                      className="small"
                      label="Delete"
                      confirmLabel="Delete it?"
                      onConfirm={() => onDelete(alert)}
                    />
                  </>
                )}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const StateText = ({ alert: { state, isPaused, message } }: { alert: Alert }) => {
  if (isPaused) return <span className="quiet">paused</span>
  if (state === null) return <span className="quiet">waits</span>
  if (state === 'OK') return <span className="good">{STATES.OK}</span>
  if (state === 'NO_DATA') return <span className="quiet">{STATES.NO_DATA}</span>
  return (
    <span className="bad" title={message ?? undefined}>
      <Icon name="error" /> {STATES[state]}
    </span>
  )
}
