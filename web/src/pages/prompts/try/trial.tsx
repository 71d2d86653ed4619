import { type ReactNode, useEffect, useRef, useState } from 'react'
import {
  type ModelTableQuery,
  NewVersionDocument,
  type PromptPageQuery,
} from '../../../../generated/operations.js'
import { useAddress } from '../../../address/use-address.js'
import { useKeys } from '../../../browser/keys.js'
import { useSingleFlight } from '../../../browser/use-single-flight.js'
import { useChange } from '../../../data/use-data.js'
import { line } from '../../../format/text.js'
import { Field } from '../../../ui/field.js'
import { useToast } from '../../../ui/toasts.js'
import { Top } from '../../../ui/top.js'
import { DraftMessages } from '../editor/draft-messages.js'
import { messagesOf } from '../messages-of.js'
import { type Draft, draftOf, messageOf, readJson } from '../new-version/draft.js'
import { namesIn, renderMessages } from '../template.js'
import { AnswerView } from './answer-view.js'
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
import { type Answer, NOTHING, run } from './run.js'

type Lineage = NonNullable<PromptPageQuery['promptLineage']>
type Version = Lineage['versions'][number]

const DRAFT = 'draft'
/** Items of a source that are chosen at first. */
const FIRST_ITEMS = 3
/** Calls at once; the others wait. */
const MAX_RUNNING = 4

/** A column of the comparison: a version, or a draft. */
interface Column {
  key: string
  title: string
  messages: unknown
  settings: unknown
  tools: unknown
  defaults: Record<string, unknown>
}

const columnOf = (version: Version): Column => ({
  key: String(version.version),
  title: `v${version.version}`,
  messages: version.templateMessages,
  settings: version.settings,
  tools: version.tools,
  defaults: (version.variablesDefaultValues ?? {}) as Record<string, unknown>,
})

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
  const create = useChange(NewVersionDocument)
  const [draft, setDraft] = useState<Draft>()
  const [draftBase, setDraftBase] = useState<Version>()
  const [answers, setAnswers] = useState<Readonly<Record<string, Answer>>>({})
  const [values, setValues] = useState<Record<string, string>>({})
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [problem, setProblem] = useState<string>()
  const [running, setRunning] = useState<AbortController>()
  const latest = useRef<AbortController>(undefined)
  // Ends the calls when the page is left: their answers would cost something, and nobody would see them.
  useEffect(() => () => latest.current?.abort(), [])

  const byNumber = (text: string | undefined) =>
    versions.find(({ version }) => String(version) === text)
  const first = byNumber(address.get('v')) ?? (versions[0] as Version)
  const second = byNumber(address.get('against'))
  const model = models.find(({ id }) => id === address.get('model')) ?? models[0]
  const source = address.get('from') ?? TYPED

  const columnsOf = (): Column[] => [
    columnOf(first),
    ...(second === undefined || second === first ? [] : [columnOf(second)]),
    ...(draft === undefined || draftBase === undefined
      ? []
      : [
          {
            ...columnOf(draftBase),
            key: DRAFT,
            title: `draft from v${draftBase.version}`,
            messages: draft.messages.map((message) => ({
              role: message.role,
              content: message.content,
            })),
          },
        ]),
  ]
  const columns = columnsOf()
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

  const runAll = useSingleFlight(async () => {
    if (model === undefined) return
    setProblem(undefined)
    const stop = new AbortController()
    latest.current = stop
    const calls = rows.flatMap((row) => columns.map((column) => ({ row, column })))
    let prepared: { key: string; call: Parameters<typeof run>[0] }[]
    try {
      prepared = calls.map(({ row, column }) => ({
        key: `${column.key} ${row.id}`,
        call: {
          endpointId: model.id,
          messages: renderMessages(
            column.key === DRAFT && draft !== undefined
              ? draft.messages.map(messageOf)
              : column.messages,
            { ...column.defaults, ...row.variables },
          ),
          settings:
            column.key === DRAFT && draft !== undefined
              ? readJson('settings', draft.settings)
              : column.settings,
          tools:
            column.key === DRAFT && draft !== undefined
              ? readJson('tools', draft.tools)
              : column.tools,
        },
      }))
    } catch (error) {
      setProblem((error as Error).message)
      return
    }
    setRunning(stop)
    setAnswers(Object.fromEntries(prepared.map(({ key }) => [key, NOTHING])))
    const waiting = [...prepared]
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { key, call } = next
        await run(call, stop.signal, (answer) =>
          setAnswers((before) => ({ ...before, [key]: answer })),
        )
      }
    }
    await Promise.all(Array.from({ length: MAX_RUNNING }, work))
    setRunning(undefined)
  })
  const stopAll = () => running?.abort()

  const save = useSingleFlight(async () => {
    if (draft === undefined || draftBase === undefined) return
    try {
      const newest = versions[0]?.version ?? -1
      const { createPromptVersion: made } = await create({
        lineageId: lineage.id,
        versionDesc: draft.description || null,
        templateMessages: draft.messages.map(messageOf),
        variablesDefaultValues: draftBase.variablesDefaultValues ?? null,
        settings: readJson('settings', draft.settings),
        tools: readJson('tools', draft.tools),
      })
      if (made == null) throw new Error('the version could not be created')
      setDraft(undefined)
      setAnswers({})
      onSaved()
      address.set({ v: String(made.version), against: String(draftBase.version) })
      showToast(
        made.version <= newest
          ? `It equals version ${made.version}; no new version was created.`
          : `Version ${made.version} is saved. It gets no calls until the split includes it.`,
      )
    } catch (error) {
      setProblem((error as Error).message)
    }
  })
  useKeys({ 'Ctrl+Enter': () => void runAll() })

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
              setDraft(draftOf(first))
              setDraftBase(first)
            }}
          >
            Edit a copy of v{first.version}
          </button>
        ) : (
          <>
            <button type="button" className="button plain" onClick={() => setDraft(undefined)}>
              Discard the draft
            </button>
            <button type="button" className="button" onClick={save}>
              Save as version
            </button>
          </>
        )}
        {running === undefined ? (
          <button
            type="button"
            className="button primary"
            disabled={rows.length === 0}
            onClick={() => void runAll()}
          >
            Run <kbd>Ctrl Enter</kbd>
          </button>
        ) : (
          <button type="button" className="button danger" onClick={stopAll}>
            Stop
          </button>
        )}
      </Top>
      <div className="page padded column" style={{ gap: 16 }}>
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
          <section className="column" aria-label="Draft">
            <h2>Draft from v{draftBase?.version}</h2>
            <DraftMessages draft={draft} names={names} onChange={setDraft} />
          </section>
        )}
        {problem !== undefined && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        {rows.map((row) => (
          <section key={row.id} className="trial-row" aria-label={row.title}>
            <h2>
              <bdi>{line(row.title, 200)}</bdi>
            </h2>
            <div className="trial-answers">
              {columns.map((column) => (
                <article key={column.key} className="panel" aria-label={column.title}>
                  <h3>{column.title}</h3>
                  <AnswerView answer={answers[`${column.key} ${row.id}`]} />
                </article>
              ))}
            </div>
          </section>
        ))}
      </div>
    </>
  )
}
