import '../../table/table.css'
import './prompts.css'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { PromptPageDocument } from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useAddress } from '../../address/use-address.js'
import { useSegment } from '../../address/use-segment.js'
import { useKeys } from '../../browser/keys.js'
import { useMayWrite } from '../../data/project.js'
import { useData } from '../../data/use-data.js'
import { quote } from '../../filter/grammar.js'
import { count, percent, score as showScore } from '../../format/number.js'
import { line, visible } from '../../format/text.js'
import { duration } from '../../format/time.js'
import { Top } from '../../shell/shell.js'
import { intervalOfMean } from '../../stats/bootstrap.js'
import { IntervalText } from '../../stats/interval.js'
import { Time } from '../../table/cells.js'
import { Crumbs } from '../../ui/crumbs.js'
import { ProblemView } from '../../ui/problem-view.js'
import { useToast } from '../../ui/toasts.js'
import { Messages } from '../../values/messages.js'
import { ValueView } from '../../values/value-view.js'
import { Preview } from './preview.js'
import { promptLink, weekAgo } from './prompts-page.js'
import { RolloutEditor } from './rollout-editor.js'
import { shares } from './split.js'
import { VersionDiff } from './version-diff.js'

const TABS = {
  template: 'Template',
  diff: 'Diff',
  preview: 'Preview',
  use: 'Use',
  rollout: 'Rollout',
} as const
type Tab = keyof typeof TABS

/** A prompt: its versions, what changed between them, what came of them, and who gets which. */
export const PromptPage = () => {
  const name = useSegment(1)
  const since = useMemo(weekAgo, [])
  const page = useData(PromptPageDocument, { name, since })
  const address = useAddress()
  const mayWrite = useMayWrite()
  const say = useToast()
  const lineage = page.data?.promptLineage
  const versions = lineage?.versions ?? []
  const chosen = versions.find(({ version }) => String(version) === address.get('v')) ?? versions[0]
  const before = versions.find(({ version }) => version < (chosen?.version ?? 0))
  const against =
    versions.find(({ version }) => String(version) === address.get('against')) ?? before
  const asked = address.get('tab') as Tab | undefined
  const tab = asked !== undefined && Object.hasOwn(TABS, asked) ? asked : 'template'
  const split = shares(lineage?.rollouts ?? [])
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
  return (
    <>
      <Top
        title={
          <Crumbs parent="Prompts" href="/prompts">
            {line(name)}
          </Crumbs>
        }
      >
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
          <div className="version-list">
            <table className="table" aria-label="Versions" style={{ tableLayout: 'auto' }}>
              <thead>
                <tr>
                  <th scope="col">v</th>
                  <th scope="col">Created</th>
                  <th scope="col" className="right">
                    Split
                  </th>
                  <th scope="col" className="right">
                    Uses 7 d
                  </th>
                  <th scope="col" className="right">
                    Tok
                  </th>
                </tr>
              </thead>
              <tbody>
                {versions.map((version) => (
                  <tr key={version.id} aria-selected={version === chosen || undefined}>
                    <td>
                      <Link href={address.link({ v: String(version.version) })}>
                        v{version.version}
                      </Link>
                    </td>
                    <td>
                      <Time at={version.createdAt} />
                    </td>
                    <td className="right">
                      {split.find((one) => one.version === version.version)?.percent ?? 0} %
                    </td>
                    <td className="right">
                      <Link
                        href={`/generations?range=7d&q=${segment(`prompt=${quote(name)} version=${version.version}`)}`}
                      >
                        {count(version.use.generationCount)}
                      </Link>
                    </td>
                    <td className="right">
                      {count(
                        version.use.meanTokens === null ? null : Math.round(version.use.meanTokens),
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
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
              {tab === 'template' && (
                <>
                  <h2>
                    v{chosen.version}
                    {chosen.versionDesc && (
                      <span className="soft"> {visible(chosen.versionDesc)}</span>
                    )}
                  </h2>
                  <Messages messages={chosen.templateMessages} />
                  {chosen.settings != null && (
                    <ValueView title="Settings" value={chosen.settings} />
                  )}
                  {chosen.tools != null && <ValueView title="Tools" value={chosen.tools} />}
                  <p className="soft">
                    Variables:{' '}
                    {(chosen.variables as { name: string }[])
                      .map((variable) => visible(variable.name))
                      .join(', ') || 'none'}
                  </p>
                </>
              )}
              {tab === 'diff' && (
                <>
                  <div className="row">
                    <label className="row">
                      v{chosen.version} against
                      <select
                        className="field"
                        aria-label="The other version"
                        value={against?.version ?? ''}
                        onChange={(event) => address.set({ against: event.target.value })}
                      >
                        {versions.map(({ version }) => (
                          <option key={version} value={version}>
                            v{version}
                          </option>
                        ))}
                      </select>
                    </label>
                  </div>
                  {against === undefined ? (
                    <p className="quiet">This is the first version.</p>
                  ) : (
                    <VersionDiff from={against} to={chosen} />
                  )}
                </>
              )}
              {tab === 'preview' && (
                <Preview
                  key={chosen.id}
                  template={chosen.templateMessages}
                  defaults={(chosen.variablesDefaultValues ?? {}) as Record<string, unknown>}
                />
              )}
              {tab === 'use' && (
                <div style={{ overflowX: 'auto' }}>
                  <table className="table" aria-label="Use" style={{ tableLayout: 'auto' }}>
                    <thead>
                      <tr>
                        <th scope="col">v</th>
                        <th scope="col" className="right">
                          Generations 7 d
                        </th>
                        <th scope="col" className="right">
                          Failed
                        </th>
                        <th scope="col" className="right">
                          Mean duration
                        </th>
                        <th scope="col" className="right">
                          Mean tokens
                        </th>
                        <th scope="col">Scores: mean (95 %)</th>
                      </tr>
                    </thead>
                    <tbody>
                      {versions.map(({ id, version, use }) => (
                        <tr key={id}>
                          <td>v{version}</td>
                          <td className="right">{count(use.generationCount)}</td>
                          <td className="right">
                            {use.generationCount === 0
                              ? '–'
                              : percent(use.errorCount / use.generationCount)}
                          </td>
                          <td className="right">
                            {duration(use.meanDuration === null ? null : use.meanDuration * 1000)}
                          </td>
                          <td className="right">
                            {count(use.meanTokens === null ? null : Math.round(use.meanTokens))}
                          </td>
                          <td>
                            {use.scores.map((one) => (
                              <span
                                key={one.name}
                                style={{ marginRight: 10 }}
                                title={`n ${one.count}`}
                              >
                                <bdi className="soft">{line(one.name, 30)}</bdi>{' '}
                                {showScore(one.mean)}{' '}
                                <IntervalText
                                  interval={intervalOfMean(one.mean, one.deviation, one.count)}
                                />
                              </span>
                            ))}
                          </td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </div>
              )}
              {tab === 'rollout' &&
                (mayWrite ? (
                  <RolloutEditor
                    key={JSON.stringify(lineage.rollouts)}
                    name={name}
                    versions={versions.map(({ version }) => version)}
                    rollouts={lineage.rollouts}
                    onDone={() => {
                      page.refresh()
                      say('The split is stored.')
                    }}
                  />
                ) : (
                  <p className="notice">This key may read the split and not change it.</p>
                ))}
            </div>
          </div>
        </div>
      )}
    </>
  )
}
