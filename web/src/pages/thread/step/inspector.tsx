import { useState } from 'react'
import { Link } from 'wouter'
import { choiceNotices } from '../../../address/notices.js'
import { segment } from '../../../address/segment.js'
import { useAddress } from '../../../address/use-address.js'
import { useActions } from '../../../browser/actions.js'
import { useKeys } from '../../../browser/keys.js'
import { useMayWrite } from '../../../data/project.js'
import { line } from '../../../format/text.js'
import { duration } from '../../../format/time.js'
import { AddToDatasetDialog } from '../../../parts/add-to-dataset-dialog.js'
import { ScoreDialog } from '../../../scoring/score-dialog.js'
import { Icon, TypeIcon, typeName } from '../../../ui/icons.js'
import { Notices } from '../../../ui/notices.js'
import { ProblemView } from '../../../ui/problem-view.js'
import { useToast } from '../../../ui/toasts.js'
import { useCopy } from '../../../ui/use-copy.js'
import { LargeStep, StepBody, TABS, type Tab } from './step-body.js'
import { type Step, useStep } from './use-step.js'

/** One step in full, errors first. */
export const Inspector = ({
  id,
  head,
  newestScore,
}: {
  id: string | undefined
  /** Facts that the tree already has, shown at once. */
  head: { name: string; type: Step['type']; ms: number; failed: boolean; state: string } | undefined
  /** One that was given while the page is open: the step is read again. */
  newestScore: string | undefined
}) => {
  const address = useAddress()
  const [version, setVersion] = useState(0)
  const { loaded, wantAll } = useStep(id, `${version} ${head?.state ?? ''} ${newestScore ?? ''}`)
  const [dialog, setDialog] = useState<'score' | 'dataset' | null>(null)
  const mayWrite = useMayWrite()
  const showToast = useToast()
  const copy = useCopy()
  const known = loaded.is === 'whole' || loaded.is === 'large' ? loaded.step : undefined
  const isGeneration = known !== undefined && known.generation !== null
  const copyOutput = async () => {
    if (loaded.is !== 'whole') return
    await copy(JSON.stringify(loaded.step.output, null, 2), 'The output is copied.')
  }
  useKeys({
    s: () => mayWrite && setDialog('score'),
    d: () => mayWrite && setDialog('dataset'),
    y: copyOutput,
  })
  const isChosen = id !== undefined && head !== undefined
  useActions([
    mayWrite && isChosen && { name: 'Score the step…', key: 's', run: () => setDialog('score') },
    mayWrite &&
      isChosen && {
        name: 'Add the step to a dataset…',
        key: 'd',
        run: () => setDialog('dataset'),
      },
    loaded.is === 'whole' && {
      name: 'Copy the output of the step',
      key: 'y',
      run: copyOutput,
    },
  ])
  if (id === undefined || head === undefined)
    return (
      <div className="inspector">
        <p className="quiet">Choose a step to see its input and output.</p>
      </div>
    )
  const tabs = (Object.keys(TABS) as Tab[]).filter(
    (tab) => tab !== 'generation' || known === undefined || isGeneration,
  )
  const asked = address.get('tab')
  const tab = tabs.find((one) => one === asked) ?? 'content'
  return (
    <>
      <div className="inspector-head">
        <div className="row">
          {head.failed ? <Icon name="error" className="bad" /> : <TypeIcon type={head.type} />}
          <h2 className="clip grow">
            <bdi>{line(head.name, 200) || typeName(head.type)}</bdi>
          </h2>
          <span className="soft">{typeName(head.type)}</span>
          <span>{duration(Number.isNaN(head.ms) ? null : head.ms)}</span>
        </div>
        <div className="row wrap" style={{ margin: '4px 0' }}>
          {mayWrite && (
            <>
              <button type="button" className="button small" onClick={() => setDialog('score')}>
                Score <kbd>s</kbd>
              </button>
              <button type="button" className="button small" onClick={() => setDialog('dataset')}>
                To dataset <kbd>d</kbd>
              </button>
            </>
          )}
          <button
            type="button"
            className="button plain small"
            onClick={() => copy(id, 'The id is copied.')}
          >
            Copy id
          </button>
        </div>
        <div className="tabs" role="tablist" aria-label="Parts of the step">
          {tabs.map((one) => (
            <button
              type="button"
              key={one}
              role="tab"
              aria-selected={one === tab}
              onClick={() =>
                address.set({ tab: one === 'content' ? null : one }, { replace: true })
              }
            >
              {TABS[one]}
              {one === 'scores' && known !== undefined && known.scores.length > 0
                ? ` ${known.scores.length}`
                : ''}
              {one === 'files' && known !== undefined && known.attachments.length > 0
                ? ` ${known.attachments.length}`
                : ''}
            </button>
          ))}
        </div>
      </div>
      <div className="inspector" role="tabpanel" tabIndex={0} aria-label={TABS[tab]}>
        <Notices texts={choiceNotices('tab', asked, Object.keys(TABS), 'This is the content.')} />
        {loaded.is === 'loading' && <p className="quiet">…</p>}
        {loaded.is === 'failed' && (
          <ProblemView problem={loaded.problem} retry={() => setVersion(version + 1)} />
        )}
        {loaded.is === 'gone' && <p className="notice">This step has been deleted.</p>}
        {loaded.is === 'large' && (tab === 'content' || tab === 'raw') && (
          <LargeStep loaded={loaded} onAll={wantAll} />
        )}
        {loaded.is === 'large' && tab !== 'content' && tab !== 'raw' && (
          <StepBody step={loaded.step} tab={tab} onChanged={() => setVersion(version + 1)} />
        )}
        {loaded.is === 'whole' && (
          <StepBody step={loaded.step} tab={tab} onChanged={() => setVersion(version + 1)} />
        )}
      </div>
      {dialog === 'score' && (
        <ScoreDialog
          judged={{ stepId: id }}
          onClose={() => setDialog(null)}
          onDone={() => {
            setVersion(version + 1)
            showToast('The score is stored.')
          }}
        />
      )}
      {dialog === 'dataset' && (
        <AddToDatasetDialog
          steps={[{ id, isGeneration }]}
          onClose={() => setDialog(null)}
          onDone={(datasetId) =>
            showToast(<Link href={`/datasets/${segment(datasetId)}`}>Added to the dataset</Link>)
          }
        />
      )}
    </>
  )
}
