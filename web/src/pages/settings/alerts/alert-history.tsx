import {
  type AlertEventFieldsFragment,
  GetAlertEventsDocument,
} from '../../../../generated/operations.js'
import { useData } from '../../../data/use-data.js'
import { choice, visible } from '../../../format/text.js'
import { Label, Time } from '../../../table/cells.js'
import { ConfirmButton } from '../../../ui/confirm-button.js'
import { ProblemView } from '../../../ui/problem-view.js'
import { type Alert, outcomeOf, reasonOf, STATES, shownValue } from './words.js'

const EVENTS = 50

/** The newest events of an alert, with the calls that told of them. */
export const AlertHistory = ({
  alert,
  onRotate,
}: {
  alert: Alert
  /** Undefined for those who may only read. */
  onRotate: (() => Promise<void>) | undefined
}) => {
  const answer = useData(GetAlertEventsDocument, { alertId: alert.id, first: EVENTS })
  const events = answer.data?.alertEvents
  return (
    <section className="column" aria-label={`History of ${alert.name}`}>
      <h2>
        History of <bdi>{choice(alert.name)}</bdi>
      </h2>
      {alert.message !== null && <p className="problem">{visible(alert.message)}</p>}
      {answer.problem !== undefined && (
        <ProblemView problem={answer.problem} retry={answer.refresh} />
      )}
      {events?.length === 0 && <p className="notice">Nothing has happened yet.</p>}
      {events !== undefined && events.length > 0 && (
        <div style={{ overflowX: 'auto' }}>
          <table className="table stacks" aria-label="Events" style={{ tableLayout: 'auto' }}>
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Event</th>
                <th scope="col" className="right">
                  Value
                </th>
                <th scope="col" className="right">
                  Threshold
                </th>
                <th scope="col">Call</th>
              </tr>
            </thead>
            <tbody>
              {events.map((event) => (
                <tr key={event.id}>
                  <td>
                    <Time at={event.createdAt} />
                  </td>
                  <td>
                    <span className={isBad(event) ? 'bad' : undefined}>
                      {reasonOf(event.type, event.state === null ? '' : STATES[event.state])}
                    </span>
                    {event.isQuiet && <span className="quiet"> in quiet hours</span>}
                  </td>
                  <td className="right">
                    <Label>value</Label>
                    {shownValue(alert.metric, event.value)}
                  </td>
                  <td className="right">
                    <Label>threshold</Label>
                    {shownValue(alert.metric, event.threshold)}
                  </td>
                  <td style={{ whiteSpace: 'normal' }}>
                    <Label>call</Label>
                    {outcomeOf(event.call)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {onRotate !== undefined && (
        <div>
          <ConfirmButton
            className="small"
            label="Rotate the secret"
            confirmLabel="The old one ends at once. Rotate?"
            onConfirm={onRotate}
          />
        </div>
      )}
    </section>
  )
}

const isBad = ({ type, state }: AlertEventFieldsFragment): boolean =>
  type !== 'TEST' && (state === 'FIRING' || state === 'FAILED')
