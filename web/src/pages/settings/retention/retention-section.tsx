import { useId, useState } from 'react'
import {
  GetRetentionDocument,
  PreviewRetentionDocument,
  type PreviewRetentionQuery,
  type RetentionFieldsFragment,
  SetRetentionDocument,
} from '../../../../generated/operations.js'
import { useSingleFlight } from '../../../browser/use-single-flight.js'
import { useProject } from '../../../data/project.js'
import { read, useChange, useData } from '../../../data/use-data.js'
import { count, plural } from '../../../format/number.js'
import { Time } from '../../../table/cells.js'
import { Field } from '../../../ui/field.js'
import { ProblemView } from '../../../ui/problem-view.js'
import { useToast } from '../../../ui/toasts.js'
import { daysOf, EXCEPTIONS, FIELDS, KEPT_FIGURES, rulesOf } from './rules.js'

type Retention = RetentionFieldsFragment
type Preview = PreviewRetentionQuery['retentionPreview']

/** The section of the settings with the rules for the age of data. */
export const RetentionSection = () => {
  const { data, problem, refresh } = useData(GetRetentionDocument, {})
  return (
    <div className="column" style={{ maxWidth: 560, gap: 12 }}>
      <p className="soft">
        Threads are deleted with all that is in them once their last activity is older than this.
        Users, prompts, datasets and results of experiments stay.
      </p>
      {problem !== undefined && <ProblemView problem={problem} retry={refresh} />}
      {data !== undefined && (
        <>
          <RetentionForm retention={data.retention} onDone={refresh} />
          <Deleted retention={data.retention} />
        </>
      )}
    </div>
  )
}

const Deleted = ({ retention }: { retention: Retention }) => {
  const { deletedThreads, deletedSteps, lastDeletedAt } = retention
  if (lastDeletedAt === null) return <p className="quiet">Nothing was deleted so far.</p>
  return (
    <p className="quiet">
      Deleted so far: {plural(deletedThreads, 'thread')} and {plural(deletedSteps, 'step')}, the
      last <Time at={lastDeletedAt} />.
    </p>
  )
}

const RetentionForm = ({ retention, onDone }: { retention: Retention; onDone: () => void }) => {
  const [days, setDays] = useState(() => daysOf(retention.rules))
  const [keep, setKeep] = useState(() => new Set(retention.keep))
  const [keepMetrics, setKeepMetrics] = useState(retention.keepMetrics)
  const [preview, setPreview] = useState<Preview>()
  const [problem, setProblem] = useState<string>()
  const hintId = useId()
  const isAdmin = useProject().scopes.includes('admin')
  const change = useChange(SetRetentionDocument)
  const showToast = useToast()
  const variables = () => ({ rules: rulesOf(days), keep: [...keep] })
  const attempt = async (work: () => Promise<void>) => {
    try {
      setProblem(undefined)
      await work()
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  const save = async () => {
    await change({ ...variables(), keepMetrics })
    setPreview(undefined)
    showToast('The rules are saved.')
    onDone()
  }
  const look = useSingleFlight(() =>
    attempt(async () => {
      const { retentionPreview } = await read(PreviewRetentionDocument, variables())
      if (retentionPreview.threads + retentionPreview.steps > 0) setPreview(retentionPreview)
      else await save()
    }),
  )
  const confirm = useSingleFlight(() => attempt(save))
  return (
    <form
      className="panel column"
      style={{ padding: 12 }}
      onSubmit={(event) => {
        event.preventDefault()
        void look()
      }}
    >
      {FIELDS.map(({ name, label, hint }) => (
        <Field key={name} label={label} hint={hint}>
          {(control) => (
            <input
              {...control}
              type="number"
              min={1}
              max={36_500}
              disabled={!isAdmin}
              value={days[name] ?? ''}
              onChange={(event) => {
                setDays({ ...days, [name]: event.target.value })
                setPreview(undefined)
              }}
            />
          )}
        </Field>
      ))}
      <fieldset className="column" disabled={!isAdmin}>
        <legend>Keep whatever its age</legend>
        {EXCEPTIONS.map(({ name, label }) => (
          <label key={name} className="row">
            <input
              type="checkbox"
              checked={keep.has(name)}
              onChange={(event) => {
                const next = new Set(keep)
                if (event.target.checked) next.add(name)
                else next.delete(name)
                setKeep(next)
                setPreview(undefined)
              }}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <fieldset className="column" disabled={!isAdmin}>
        <legend>Metrics</legend>
        <label className="row">
          <input
            type="checkbox"
            aria-describedby={hintId}
            checked={keepMetrics}
            onChange={(event) => setKeepMetrics(event.target.checked)}
          />
          go on to count what was deleted
        </label>
        <p id={hintId} className="quiet">
          {KEPT_FIGURES}
        </p>
      </fieldset>
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {preview !== undefined && <Loss preview={preview} onConfirm={confirm} />}
      {isAdmin && preview === undefined && (
        <div>
          <button type="submit" className="button primary">
            Save
          </button>
        </div>
      )}
      {!isAdmin && <p className="quiet">Changing this needs the scope admin.</p>}
    </form>
  )
}

/** Says what the rules would delete, with the button that does. */
const Loss = ({ preview, onConfirm }: { preview: Preview; onConfirm: () => void }) => (
  <div className="column" role="alert">
    <p>
      {preview.isComplete ? 'These rules delete' : 'These rules delete at least'}{' '}
      <strong>
        {plural(preview.threads, 'thread')} and {count(preview.steps)}{' '}
        {preview.steps === 1 ? 'step' : 'steps'} without a thread
      </strong>{' '}
      now. This can’t be undone.
    </p>
    <div>
      <button type="button" className="button danger" onClick={onConfirm}>
        Delete and save
      </button>
    </div>
  </div>
)
