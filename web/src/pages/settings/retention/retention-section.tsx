import { useId, useRef, useState } from 'react'
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
import { FailureNote } from '../../../ui/failure.js'
import { Field } from '../../../ui/field.js'
import { Fields, SendButton } from '../../../ui/forms/form.js'
import { useOwnChanges, useRefill } from '../../../ui/forms/own-changes.js'
import { useSending } from '../../../ui/forms/use-sending.js'
import { ProblemView } from '../../../ui/problem-view.js'
import { useToast } from '../../../ui/toasts.js'
import {
  daysOf,
  EXCEPTIONS,
  FIELDS,
  KEPT_FIGURES,
  type Parts,
  partsOf,
  rulesOf,
  settingsOf,
  TITLES,
} from './rules.js'

type Retention = RetentionFieldsFragment
type Preview = PreviewRetentionQuery['retentionPreview']

/** Rules to save, with those that were stored when their loss was looked at. */
interface Asked {
  settings: ReturnType<typeof settingsOf>
  stored: Parts
}

const readStored = async () => partsOf((await read(GetRetentionDocument, {})).retention)

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
  /** The loss by the rules that it is of: those are saved, whatever the fields say later. */
  const [looked, setLooked] = useState<{ loss: Preview; asked: Asked }>()
  const [problem, setProblem] = useState<Error>()
  const hintId = useId()
  const isAdmin = useProject().scopes.includes('admin')
  const change = useChange(SetRetentionDocument)
  const showToast = useToast()
  const own = useOwnChanges(partsOf(retention), TITLES)
  const mine = partsOf({ rules: rulesOf(days), keep: [...keep], keepMetrics })
  const fill = (parts: Parts) => {
    const settings = settingsOf(parts)
    setDays(daysOf(settings.rules))
    setKeep(new Set(settings.keep))
    setKeepMetrics(settings.keepMetrics)
    own.begin(parts)
  }
  // Rules that another person saved meanwhile take the place of those that the page remembers.
  useRefill(partsOf(retention), Object.keys(own.changes(mine)).length > 0, fill)
  const edits = useRef(0)
  const edited = () => {
    edits.current++
    setLooked(undefined)
  }
  const attempt = async (work: () => Promise<void>) => {
    try {
      setProblem(undefined)
      await work()
    } catch (error) {
      setProblem(error as Error)
    }
  }
  const {
    isSending,
    send: save,
    within,
  } = useSending(async ({ settings, stored }: Asked) => {
    setProblem(undefined)
    setLooked(undefined)
    if (JSON.stringify(await readStored()) !== JSON.stringify(stored))
      throw new Error('Somebody changed the rules meanwhile. Save again to see what they delete.')
    await change(settings)
    fill(partsOf(settings))
    showToast('The rules are saved.')
    onDone()
  }, setProblem)
  const look = useSingleFlight(() =>
    attempt(async () => {
      const begun = edits.current
      const stored = await readStored()
      const settings = settingsOf({ ...stored, ...own.changes(mine, stored) })
      const asked = { settings, stored }
      const { retentionPreview: loss } = await read(PreviewRetentionDocument, settings)
      // The answer is about rules that are no longer in the fields.
      if (begun !== edits.current) return
      if (loss.threads + loss.steps > 0) setLooked({ loss, asked })
      else await save(asked)
    }),
  )
  return (
    <form
      ref={within}
      aria-busy={isSending}
      className="panel column"
      style={{ padding: 12 }}
      onSubmit={(event) => {
        event.preventDefault()
        void look()
      }}
    >
      <Fields isSending={isSending}>
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
                  edited()
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
                  edited()
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
              onChange={(event) => {
                setKeepMetrics(event.target.checked)
                edited()
              }}
            />
            go on to count what was deleted
          </label>
          <p id={hintId} className="quiet">
            {KEPT_FIGURES}
          </p>
        </fieldset>
      </Fields>
      <FailureNote error={problem} />
      {looked !== undefined && <Loss preview={looked.loss} onConfirm={() => save(looked.asked)} />}
      {isAdmin && looked === undefined && (
        <div>
          <SendButton label="Save" />
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
