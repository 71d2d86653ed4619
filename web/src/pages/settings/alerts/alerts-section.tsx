import { useEffect, useRef, useState } from 'react'
import {
  DeleteAlertDocument,
  GetAlertsDocument,
  RotateAlertSecretDocument,
  TestAlertDocument,
  UpdateAlertDocument,
} from '../../../../generated/operations.js'
import { choiceNotices, missingNotice } from '../../../address/notices.js'
import { useAddress } from '../../../address/use-address.js'
import { useMayWrite } from '../../../data/project.js'
import { useChange, useData } from '../../../data/use-data.js'
import { at } from '../../../format/base.js'
import { Notices } from '../../../ui/notices.js'
import { ProblemView } from '../../../ui/problem-view.js'
import { useToast } from '../../../ui/toasts.js'
import { AlertChart } from './alert-chart.js'
import { AlertForm } from './alert-form.js'
import { AlertHistory } from './alert-history.js'
import { AlertTable } from './alert-table.js'
import { SecretDialog } from './secret-dialog.js'
import { type Alert, outcomeOf, SUBJECTS, startOf } from './words.js'

const EVERY_MS = 5000

/** Conditions that call a webhook. The address names the rows of a new one, and the one whose history is shown. */
export const AlertsSection = () => {
  const address = useAddress()
  const mayWrite = useMayWrite()
  const showToast = useToast()
  const answer = useData(GetAlertsDocument, {})
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') answer.refresh()
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [answer.refresh])
  const pause = useChange(UpdateAlertDocument)
  const remove = useChange(DeleteAlertDocument)
  const test = useChange(TestAlertDocument)
  const rotate = useChange(RotateAlertSecretDocument)
  const [edited, setEdited] = useState<Alert>()
  const [secret, setSecret] = useState<string>()
  const [tests, setTests] = useState(0)
  const rows = answer.data?.alerts
  const asked = address.get('alert')
  const shown = rows?.find(({ id }) => id === asked)
  const start = mayWrite ? startOf(address.get) : undefined
  const closeForm = () => {
    setEdited(undefined)
    if (start !== undefined)
      address.set({ new: null, q: null, env: null, name: null }, { replace: true })
  }
  const busy = useRef(new Set<string>())
  /** Does one thing at a time for an alert: a second press while the answer is awaited does nothing. */
  const act = async (id: string, work: () => Promise<string | undefined>) => {
    if (busy.current.has(id)) return
    busy.current.add(id)
    try {
      const told = await work()
      if (told !== undefined) showToast(told)
    } catch (error) {
      showToast(error as Error)
    } finally {
      // When it failed, too: the alert may be gone by then.
      answer.refresh()
      busy.current.delete(id)
    }
  }
  return (
    <div className="column" style={{ gap: 16, maxWidth: 1200 }}>
      <p className="soft">
        An alert calls a webhook when a value of some rows crosses a threshold, and when it no
        longer does. The service evaluates each about once a minute.{' '}
        <a href={at('/docs/guides/alerts')}>How to receive calls</a>.
      </p>
      {mayWrite && (
        <div>
          <button
            type="button"
            className="button"
            onClick={() => address.set({ new: 'STEPS' }, { replace: true })}
          >
            Add an alert
          </button>
        </div>
      )}
      {answer.problem !== undefined && (
        <ProblemView problem={answer.problem} retry={answer.refresh} />
      )}
      <Notices
        texts={[
          ...choiceNotices(
            'kind of rows',
            address.get('new'),
            Object.keys(SUBJECTS),
            'No alert is added.',
          ),
          ...(rows !== undefined && asked !== undefined && shown === undefined
            ? [missingNotice('alert', asked)]
            : []),
        ]}
      />
      {rows?.length === 0 && (
        <p className="notice">There is no alert yet. The views of a list lead here, too.</p>
      )}
      {rows !== undefined && rows.length > 0 && (
        <AlertTable
          alerts={rows}
          shownId={shown?.id}
          mayWrite={mayWrite}
          onShow={(id) => address.set({ alert: id === shown?.id ? null : id })}
          onEdit={setEdited}
          onPause={({ id, isPaused }) =>
            act(id, async () => {
              await pause({ id, isPaused: !isPaused })
              return undefined
            })
          }
          onTest={({ id }) =>
            act(id, async () => {
              const { testAlert } = await test({ id })
              setTests((count) => count + 1)
              return `The test: ${outcomeOf(testAlert.call)}.`
            })
          }
          onDelete={({ id }) => remove({ id }).finally(answer.refresh)}
        />
      )}
      {shown?.evaluatedAt != null && (
        <AlertChart key={shown.id} alert={shown} evaluatedAt={shown.evaluatedAt} />
      )}
      {shown !== undefined && (
        <AlertHistory
          key={`${shown.id} ${tests} ${shown.evaluatedAt}`}
          alert={shown}
          onRotate={
            mayWrite
              ? async () => setSecret((await rotate({ id: shown.id })).rotateAlertSecret.secret)
              : undefined
          }
        />
      )}
      {(edited !== undefined || start !== undefined) && (
        <AlertForm
          alert={edited}
          start={start}
          onClose={closeForm}
          onDone={(created) => {
            if (created !== undefined) setSecret(created)
            answer.refresh()
          }}
        />
      )}
      {secret !== undefined && (
        <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </div>
  )
}
