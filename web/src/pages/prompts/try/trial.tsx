import { type ReactNode, useState } from 'react'
import type { ModelTableQuery } from '../../../../generated/operations.js'
import { missingNotice } from '../../../address/notices.js'
import { useAddress } from '../../../address/use-address.js'
import { useFocusOfContent } from '../../../browser/kept-focus.js'
import { useKeys } from '../../../browser/keys.js'
import { line } from '../../../format/text.js'
import { FailureNote } from '../../../ui/failure.js'
import { Field } from '../../../ui/field.js'
import { Fields } from '../../../ui/forms/form.js'
import { Notices } from '../../../ui/notices.js'
import { useToast } from '../../../ui/toasts.js'
import { Top } from '../../../ui/top.js'
import { DraftMessages } from '../editor/draft-messages.js'
import { DraftValues } from '../editor/draft-values.js'
import { messagesOf } from '../messages-of.js'
import { namesIn } from '../template.js'
import { versionNotices } from '../version-notices.js'
import { AnswerView } from './answer-view.js'
import { columnOf, draftColumn, type Lineage, type Version } from './columns.js'
import {
  ItemChoice,
  ItemsProblem,
  SourceSelect,
  TYPED,
  TypedValues,
  typedItem,
  useItems,
} from './item-source.js'
import type { TrialItem } from './items.js'
import { useDraft } from './use-draft.js'
import { answerKey, useRuns } from './use-runs.js'

/** Items of a source that are chosen at first. */
const FIRST_ITEMS = 3

/** Versions of a prompt, and a draft of another one, side by side on some items. */
export const Trial = ({
  title,
  lineage,
  models,
  onSaved,
}: {
  title: ReactNode
  lineage: Lineage
  models: ModelTableQuery['modelEndpoints']
  onSaved: () => void
}) => {
  const { name, versions } = lineage
  const address = useAddress()
  const showToast = useToast()
  const [values, setValues] = useState<Record<string, string>>({})
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [problem, setProblem] = useState<Error>()
  const { draft, base, wasKept, change, begin, discard, save, isSending, within } = useDraft(
    lineage,
    (saved) => {
      clear()
      onSaved()
      address.set({ v: String(saved.version), against: String(saved.base.version) })
      showToast(
        saved.isNew
          ? `Version ${saved.version} is saved. It gets no calls until the split includes it.`
          : `It equals version ${saved.version}; no new version was created.`,
      )
    },
    setProblem,
  )
  const [isRestored, setRestored] = useState(wasKept)
  const byNumber = (text: string | undefined) =>
    versions.find(({ version }) => String(version) === text)
  const first = byNumber(address.get('v')) ?? (versions[0] as Version)
  const second = byNumber(address.get('against'))
  const asked = address.get('model')
  const model = models.find(({ id }) => id === asked) ?? models[0]
  const source = address.get('from') ?? TYPED

  const columns = [
    columnOf(first),
    ...(second === undefined || second === first ? [] : [columnOf(second)]),
    ...(draft === undefined || base === undefined ? [] : [draftColumn(draft, base)]),
  ]
  const names = namesIn(
    columns.flatMap(({ messages }) => messagesOf(messages).map(({ text }) => text)),
  )
  const defaults = Object.assign({}, ...columns.map((column) => column.defaults))
  const loaded = useItems(source, name, names, (items) =>
    setChosen(new Set(items.slice(0, FIRST_ITEMS).map(({ id }) => id))),
  )
  const rows: readonly TrialItem[] =
    source === TYPED
      ? [typedItem(names, values)]
      : (loaded.items ?? []).filter(({ id }) => chosen.has(id))
  const { answers, isRunning, runAll, stop, clear } = useRuns(model?.id, columns, rows, setProblem)
  useKeys({ 'Ctrl+Enter': runAll })
  useFocusOfContent(draft === undefined)

  const versionSelect = (label: string, value: string, key: 'v' | 'against', none?: string) => (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          value={value}
          onChange={(event) =>
            address.set({ [key]: event.target.value === '' ? null : event.target.value })
          }
        >
          {none !== undefined && <option value="">{none}</option>}
          {versions.map(({ version }) => (
            <option key={version} value={version}>
              v{version}
            </option>
          ))}
        </select>
      )}
    </Field>
  )

  return (
    <>
      <Top title={title}>
        {draft === undefined ? (
          <button
            type="button"
            className="button"
            onClick={() => {
              setRestored(false)
              begin(first)
            }}
          >
            Edit a copy of v{first.version}
          </button>
        ) : (
          <>
            <button type="button" className="button plain" disabled={isSending} onClick={discard}>
              Discard the draft
            </button>
            <button type="button" className="button" onClick={save}>
              Save as version
            </button>
          </>
        )}
        {!isRunning ? (
          <button
            type="button"
            className="button primary"
            disabled={rows.length === 0}
            onClick={runAll}
          >
            Run <kbd>Ctrl Enter</kbd>
          </button>
        ) : (
          <button type="button" className="button danger" onClick={stop}>
            Stop
          </button>
        )}
      </Top>
      <div className="page padded column" style={{ gap: 16 }}>
        <Notices
          texts={[
            ...versionNotices(versions, address.get('v'), ` This is version ${first.version}.`),
            ...versionNotices(versions, address.get('against'), ''),
            ...(asked === undefined || model?.id === asked
              ? []
              : [missingNotice('model', asked, `${line(model?.name, 60)} answers.`)]),
          ]}
        />
        <div className="form-grid">
          {versionSelect('Version', String(first.version), 'v')}
          {versionSelect(
            'Beside it',
            second === undefined ? '' : String(second.version),
            'against',
            'none',
          )}
          <Field label="Model">
            {(control) => (
              <select
                {...control}
                value={model?.id}
                onChange={(event) => address.set({ model: event.target.value })}
              >
                {models.map((one) => (
                  <option key={one.id} value={one.id}>
                    {line(one.name, 60)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <SourceSelect
            source={source}
            onSource={(next) => address.set({ from: next === TYPED ? null : next })}
          />
        </div>
        {source === TYPED ? (
          <TypedValues names={names} values={values} defaults={defaults} onValues={setValues} />
        ) : (
          <>
            <ItemsProblem {...loaded} />
            <ItemChoice items={loaded.items ?? []} chosen={chosen} onChosen={setChosen} />
          </>
        )}
        {draft !== undefined && (
          <section className="column" aria-label="Draft" ref={within} aria-busy={isSending}>
            <h2>Draft from v{base?.version}</h2>
            {isRestored && <p className="notice">This is an earlier draft, which was not saved.</p>}
            <Fields isSending={isSending}>
              <DraftMessages draft={draft} names={names} onChange={change} />
              <DraftValues draft={draft} onChange={change} />
            </Fields>
          </section>
        )}
        <FailureNote error={problem} />
        {rows.map((row) => (
          <section key={row.id} className="trial-row" aria-label={row.title}>
            <h2>
              <bdi>{line(row.title, 200)}</bdi>
            </h2>
            <div className="trial-answers">
              {columns.map((column) => (
                <article key={column.key} className="panel" aria-label={column.title}>
                  <h3>{column.title}</h3>
                  <AnswerView answer={answers[answerKey(column, row)]} />
                </article>
              ))}
            </div>
          </section>
        ))}
      </div>
    </>
  )
}
