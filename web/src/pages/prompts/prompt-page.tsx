import '../../table/table.css'
import './prompts.css'
import { useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { PromptPageDocument } from '../../../generated/operations.js'
import { choiceNotices } from '../../address/notices.js'
import { useAddress } from '../../address/use-address.js'
import { useSegment } from '../../address/use-segment.js'
import { useActions } from '../../browser/actions.js'
import { useKeys } from '../../browser/keys.js'
import { useMayWrite } from '../../data/project.js'
import { useData } from '../../data/use-data.js'
import { choice } from '../../format/text.js'
import { Breadcrumbs } from '../../ui/breadcrumbs.js'
import { Notices } from '../../ui/notices.js'
import { ProblemView } from '../../ui/problem-view.js'
import { useToast } from '../../ui/toasts.js'
import { Top } from '../../ui/top.js'
import { ChosenDiff } from './diff/chosen-diff.js'
import { LabelsEditor } from './labels/labels-editor.js'
import { Preview } from './preview.js'
import { promptLink } from './prompt-link.js'
import { type RolloutDraft, RolloutEditor } from './rollout-editor.js'
import { shares } from './split.js'
import { VersionList } from './version-list.js'
import { versionNotices } from './version-notices.js'
import { VersionTemplate } from './version-template.js'
import { VersionUse } from './version-use.js'
import { weekAgo } from './week.js'

const TABS = {
  template: 'Template',
  diff: 'Diff',
  preview: 'Preview',
  use: 'Use',
  rollout: 'Rollout',
  labels: 'Labels',
} as const
type Tab = keyof typeof TABS

const isTab = (text: string | undefined): text is Tab =>
  text !== undefined && Object.hasOwn(TABS, text)

/** A prompt: its versions, their differences, use and rollout. */
export const PromptPage = () => {
  const name = useSegment(1)
  const since = useMemo(weekAgo, [])
  const page = useData(PromptPageDocument, { name, since })
  const address = useAddress()
  const [, navigate] = useLocation()
  const mayWrite = useMayWrite()
  const showToast = useToast()
  const [rollout, setRollout] = useState<RolloutDraft>()
  const lineage = page.data?.promptLineage
  const versions = lineage?.versions ?? []
  const chosen = versions.find(({ version }) => String(version) === address.get('v')) ?? versions[0]
  const before = versions.find(({ version }) => version < (chosen?.version ?? 0))
  const against =
    versions.find((one) => one !== chosen && String(one.version) === address.get('against')) ??
    before ??
    versions.find((one) => one !== chosen)
  const asked = address.get('tab')
  const tab = isTab(asked) ? asked : 'template'
  const split = shares(lineage?.rollouts ?? [])
  /** Names versions of the address that the prompt doesn't have; newer ones may be on their way. */
  const missing = (['v', 'against'] as const).flatMap((parameter) => {
    const asked = address.get(parameter)
    if (asked === undefined || chosen === undefined || page.isRefreshing) return []
    const instead = parameter === 'v' ? ` This is version ${chosen.version}.` : ''
    return versionNotices(versions, asked, instead)
  })
  const place = chosen === undefined ? -1 : versions.indexOf(chosen)
  const go = (to: number) => {
    const next = versions[Math.max(0, Math.min(versions.length - 1, to))]
    if (next !== undefined) address.set({ v: String(next.version) }, { replace: true })
  }
  useKeys({
    j: () => go(place + 1),
    k: () => go(place - 1),
    a: () => chosen !== undefined && address.set({ against: String(chosen.version), tab: 'diff' }),
  })
  const from = chosen === undefined ? '' : `?from=${chosen.version}`
  useActions([
    mayWrite &&
      lineage != null && {
        name: 'New version of the prompt…',
        run: () => navigate(`${promptLink(name)}/new${from}`),
      },
    mayWrite &&
      chosen !== undefined && {
        name: `Try version ${chosen.version}…`,
        run: () => navigate(`${promptLink(name)}/try?v=${chosen.version}`),
      },
    ...(Object.keys(TABS) as Tab[])
      .filter((one) => chosen !== undefined && one !== tab)
      .map((one) => ({
        name: `Show: ${TABS[one].toLowerCase()}`,
        run: () => address.set({ tab: one === 'template' ? null : one }),
      })),
  ])
  return (
    <>
      <Top
        title={
          <Breadcrumbs parent="Prompts" href="/prompts">
            {choice(name, 300)}
          </Breadcrumbs>
        }
      >
        {mayWrite && chosen !== undefined && (
          <Link className="button" href={`${promptLink(name)}/try?v=${chosen.version}`}>
            Try
          </Link>
        )}
        {mayWrite && lineage != null && (
          <Link
            className="button"
            href={`${promptLink(name)}/new${chosen === undefined ? '' : `?from=${chosen.version}`}`}
          >
            New version{chosen === undefined ? '' : ` from v${chosen.version}`}
          </Link>
        )}
      </Top>
      {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
      {lineage === null && (
        <div className="empty">
          <p>There is no prompt with this name here.</p>
        </div>
      )}
      {lineage != null && versions.length === 0 && (
        <div className="empty">
          <p>It has no version yet.</p>
          {mayWrite && (
            <Link className="button primary" href={`${promptLink(name)}/new`}>
              Write the first one
            </Link>
          )}
        </div>
      )}
      {lineage != null && chosen !== undefined && (
        <div className="prompt-panes">
          <VersionList
            name={name}
            versions={versions}
            chosen={chosen}
            labels={lineage.labels}
            percentOf={(version) => split.find((one) => one.version === version)?.percent ?? 0}
            linkTo={(version) => address.link({ v: String(version) })}
          />
          <div className="version-body">
            <div className="tabs" role="tablist" aria-label="Parts of the version">
              {(Object.keys(TABS) as Tab[]).map((one) => (
                <button
                  type="button"
                  key={one}
                  role="tab"
                  aria-selected={one === tab}
                  onClick={() => address.set({ tab: one === 'template' ? null : one })}
                >
                  {TABS[one]}
                </button>
              ))}
            </div>
            <div className="page padded column">
              <Notices
                texts={[
                  ...choiceNotices('tab', asked, Object.keys(TABS), 'This is the template.'),
                  ...missing,
                ]}
              />
              {tab === 'template' && <VersionTemplate version={chosen} />}
              {tab === 'diff' && (
                <ChosenDiff
                  versions={versions}
                  chosen={chosen}
                  against={against}
                  onAgainst={(version) => address.set({ against: version })}
                />
              )}
              {tab === 'preview' && (
                <Preview
                  key={chosen.id}
                  template={chosen.templateMessages}
                  defaults={(chosen.variablesDefaultValues ?? {}) as Record<string, unknown>}
                />
              )}
              {tab === 'use' && <VersionUse versions={versions} />}
              {tab === 'labels' && (
                <LabelsEditor
                  name={name}
                  labels={lineage.labels}
                  versions={versions.map(({ version }) => version)}
                  chosen={chosen.version}
                  mayWrite={mayWrite}
                  onDone={(message) => {
                    page.refresh()
                    showToast(message)
                  }}
                />
              )}
              {tab === 'rollout' &&
                (mayWrite ? (
                  <RolloutEditor
                    name={name}
                    versions={versions.map(({ version }) => version)}
                    rollouts={lineage.rollouts}
                    draft={rollout}
                    onDraft={setRollout}
                    onDone={() => {
                      page.refresh()
                      showToast('The split is stored.')
                    }}
                  />
                ) : (
                  <p className="notice">This key may read the split but not change it.</p>
                ))}
            </div>
          </div>
        </div>
      )}
    </>
  )
}
