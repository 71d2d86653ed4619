import { Field } from '../../../ui/field.js'
import '../prompts.css'
import { useEffect, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { NewVersionDocument, PromptPageDocument } from '../../../../generated/operations.js'
import { useAddress } from '../../../address/use-address.js'
import { useSegment } from '../../../address/use-segment.js'
import { useKeys } from '../../../browser/keys.js'
import { useIsThere } from '../../../browser/use-is-there.js'
import { useMayWrite, useProject } from '../../../data/project.js'
import { useChange, useData } from '../../../data/use-data.js'
import { choice } from '../../../format/text.js'
import { Breadcrumbs } from '../../../ui/breadcrumbs.js'
import { FailureNote } from '../../../ui/failure.js'
import { Fields } from '../../../ui/forms/form.js'
import { useSending } from '../../../ui/forms/use-sending.js'
import { ProblemView } from '../../../ui/problem-view.js'
import { useToast } from '../../../ui/toasts.js'
import { Top } from '../../../ui/top.js'
import { DraftMessages } from '../editor/draft-messages.js'
import { DraftValues } from '../editor/draft-values.js'
import { Preview } from '../preview.js'
import { promptLink } from '../prompt-link.js'
import { beginningOf, type Draft, messageOf, readJson } from './draft.js'
import { useKeptDraft } from './use-kept-draft.js'

/** A form for a new version, beside its preview. The draft stays in this browser until it is saved. */
export const NewVersionPage = () => {
  const name = useSegment(1)
  const address = useAddress()
  const page = useData(PromptPageDocument, { name, since: null })
  const [, navigate] = useLocation()
  const isThere = useIsThere()
  const showToast = useToast()
  const create = useChange(NewVersionDocument)
  const from = address.get('from')
  const project = useProject()
  const mayWrite = useMayWrite()
  const { draft, wasKept, begin, change, forget, discard } = useKeptDraft<Draft>([
    project.id,
    name,
    from ?? null,
  ])
  const [problem, setProblem] = useState<Error>()
  const [isRestored, setRestored] = useState(wasKept)
  const lineage = page.data?.promptLineage
  const base = lineage?.versions.find(({ version }) => String(version) === from)
  const isCurrent = !page.isRefreshing && page.problem === undefined
  const beginning = useMemo(
    () => beginningOf(from, { versions: lineage?.versions, isCurrent }),
    [from, lineage, isCurrent],
  )
  useEffect(() => {
    if (draft === null && beginning.is === 'there') begin(beginning.draft)
  }, [draft, beginning])
  // The base has more than the draft shows, such as the defaults of variables.
  const canSave = draft !== null && beginning.is !== 'awaited'
  const { isSending, send, within } = useSending(async () => {
    if (!canSave || lineage == null) return
    setProblem(undefined)
    const settings = readJson('settings', draft.settings)
    const tools = readJson('tools', draft.tools)
    const newest = lineage.versions[0]?.version
    const { createPromptVersion: made } = await create({
      lineageId: lineage.id,
      versionDesc: draft.description || null,
      templateMessages: draft.messages.map(messageOf),
      variablesDefaultValues: base?.variablesDefaultValues ?? null,
      settings,
      tools,
    })
    if (made == null) throw new Error('the version could not be created')
    forget()
    showToast(
      newest !== undefined && made.version <= newest
        ? `It equals version ${made.version}; no new version was created.`
        : `Version ${made.version} is saved. It gets no calls until the split includes it.`,
    )
    if (isThere()) navigate(`${promptLink(name)}?v=${made.version}`)
  }, setProblem)
  useKeys({ 'Ctrl+s': () => void send() }, mayWrite)
  const title = (
    <Breadcrumbs parent={<bdi>{choice(name)}</bdi>} href={promptLink(name)}>
      New version{from === undefined ? '' : ` from v${from}`}
    </Breadcrumbs>
  )
  if (!mayWrite)
    return (
      <>
        <Top title={title} />
        <div className="empty">
          <p>A new version needs a key that may write.</p>
        </div>
      </>
    )
  return (
    <>
      <Top title={title}>
        <button
          type="button"
          className="button plain"
          disabled={isSending}
          onClick={() => {
            setRestored(false)
            discard()
          }}
        >
          Start over
        </button>
        <button type="button" className="button primary" onClick={send} disabled={!canSave}>
          Save <kbd>Ctrl S</kbd>
        </button>
      </Top>
      <div className="page padded">
        {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
        {lineage === null && <p className="notice">There is no prompt with this name.</p>}
        {lineage != null && beginning.is === 'missing' && (
          <p className="notice">There is no version {from} of this prompt.</p>
        )}
        {isRestored && (
          <p className="notice">
            This is an earlier draft, which was not saved. Start over discards it.
          </p>
        )}
        <FailureNote error={problem} />
        {draft !== null && (
          <div className="draft">
            <div className="column" ref={within} aria-busy={isSending}>
              <Fields isSending={isSending}>
                <DraftMessages draft={draft} onChange={change} />
                <DraftValues draft={draft} onChange={change} />
                <Field label="Change in this version">
                  {(control) => (
                    <input
                      {...control}
                      value={draft.description}
                      onChange={(event) => change({ ...draft, description: event.target.value })}
                    />
                  )}
                </Field>
              </Fields>
            </div>
            <div className="column">
              <h2>Preview</h2>
              <Preview
                template={draft.messages}
                defaults={(base?.variablesDefaultValues ?? {}) as Record<string, unknown>}
              />
            </div>
          </div>
        )}
      </div>
    </>
  )
}
