import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import {
  StepContentsDocument,
  StepFactsDocument,
  type StepWholeQuery,
} from '../../generated/operations.js'
import { useAddress } from '../address/use-address.js'
import { plainClient } from '../data/client.js'
import type { Problem } from '../data/problem.js'
import { Failed, read } from '../data/use-data.js'
import { AddToDatasetDialog } from '../datasets/add-dialog.js'
import { quote } from '../filter/grammar.js'
import { bytes, count, plural, score as showScore } from '../format/number.js'
import { line, visible } from '../format/text.js'
import { duration } from '../format/time.js'
import { ScoreDialog } from '../judging/score-dialog.js'
import { ScoreList } from '../judging/score-list.js'
import { PromptName } from '../prompts/prompt-name.js'
import { copyText } from '../shell/copy.js'
import { Icon, TypeIcon, typeName } from '../shell/icons.js'
import { useKeys } from '../shell/keys.js'
import { ProblemView } from '../shell/problem-view.js'
import { useMayWrite } from '../shell/project.js'
import { useToast } from '../shell/toasts.js'
import { Tags, Time } from '../table/cells.js'
import { Messages, MessageView } from '../values/messages.js'
import { ValueView } from '../values/value-view.js'
import { FileView } from './files.js'

type Step = NonNullable<StepWholeQuery['step']>

/** What is read without being asked for; more is a click away. */
const READ_AT_ONCE = 256_000

type Loaded =
  | { is: 'loading' }
  | { is: 'failed'; problem: Problem }
  | { is: 'gone' }
  /** All but what went in and out, which is large. */
  | { is: 'large'; step: Step; input: string | null; output: string | null; size: number }
  | { is: 'whole'; step: Step }

/** Reads a step: its beginnings when it is large, all of it when it is not or when somebody wants it. */
const useStep = (id: string | undefined, version: number) => {
  const [loaded, setLoaded] = useState<Loaded>({ is: 'loading' })
  const [wanted, setWanted] = useState<string>()
  useEffect(() => {
    if (id === undefined) return
    let isOld = false
    const load = async () => {
      try {
        const { step } = await read(StepFactsDocument, { id }, plainClient)
        if (isOld) return
        if (step === null) return setLoaded({ is: 'gone' })
        const { inputBytes, outputBytes, inputPreview, outputPreview, ...facts } = step
        const size = (inputBytes ?? 0) + (outputBytes ?? 0)
        if (size > READ_AT_ONCE && wanted !== id)
          return setLoaded({
            is: 'large',
            step: { ...facts, input: null, output: null },
            input: inputPreview,
            output: outputPreview,
            size,
          })
        const { step: contents } = await read(StepContentsDocument, { id }, plainClient)
        if (isOld) return
        setLoaded(
          contents === null ? { is: 'gone' } : { is: 'whole', step: { ...facts, ...contents } },
        )
      } catch (error) {
        if (!isOld && error instanceof Failed) setLoaded({ is: 'failed', problem: error.problem })
      }
    }
    void load()
    return () => {
      isOld = true
    }
  }, [id, wanted, version])
  return { loaded, wantAll: () => setWanted(id) }
}

const TABS = {
  content: 'Content',
  generation: 'Generation',
  scores: 'Scores',
  files: 'Files',
  metadata: 'Metadata',
  raw: 'Raw',
} as const
type Tab = keyof typeof TABS

/** All of one step, what went wrong first. */
export const Inspector = ({
  id,
  head,
}: {
  id: string | undefined
  /** What the tree knows already, so that something stands here at once. */
  head: { name: string; type: Step['type']; ms: number; failed: boolean } | undefined
}) => {
  const address = useAddress()
  const [version, setVersion] = useState(0)
  const { loaded, wantAll } = useStep(id, version)
  const [dialog, setDialog] = useState<'score' | 'dataset' | null>(null)
  const mayWrite = useMayWrite()
  const say = useToast()
  const known = loaded.is === 'whole' || loaded.is === 'large' ? loaded.step : undefined
  const isGeneration = known !== undefined && known.generation !== null
  useKeys({
    s: () => mayWrite && setDialog('score'),
    d: () => mayWrite && setDialog('dataset'),
    y: async () => {
      if (loaded.is !== 'whole') return
      if (await copyText(JSON.stringify(loaded.step.output, null, 2))) say('The output is copied.')
    },
  })
  if (id === undefined || head === undefined)
    return (
      <div className="inspector">
        <p className="quiet">Choose a step to see what went in and out.</p>
      </div>
    )
  const tabs = (Object.keys(TABS) as Tab[]).filter(
    (tab) => tab !== 'generation' || known === undefined || isGeneration,
  )
  const asked = address.get('tab') as Tab | undefined
  const tab = asked !== undefined && tabs.includes(asked) ? asked : 'content'
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
            onClick={async () => {
              if (await copyText(id)) say('The id is copied.')
            }}
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
        {loaded.is === 'loading' && <p className="quiet">…</p>}
        {loaded.is === 'failed' && (
          <ProblemView problem={loaded.problem} retry={() => setVersion(version + 1)} />
        )}
        {loaded.is === 'gone' && <p className="notice">This step was deleted meanwhile.</p>}
        {loaded.is === 'large' && (tab === 'content' || tab === 'raw') && (
          <Large loaded={loaded} onAll={wantAll} />
        )}
        {loaded.is === 'large' && tab !== 'content' && tab !== 'raw' && (
          <Body step={loaded.step} tab={tab} onChanged={() => setVersion(version + 1)} />
        )}
        {loaded.is === 'whole' && (
          <Body step={loaded.step} tab={tab} onChanged={() => setVersion(version + 1)} />
        )}
      </div>
      {dialog === 'score' && (
        <ScoreDialog
          stepId={id}
          onClose={() => setDialog(null)}
          onDone={() => {
            setVersion(version + 1)
            say('The score is given.')
          }}
        />
      )}
      {dialog === 'dataset' && (
        <AddToDatasetDialog
          steps={[{ id, isGeneration }]}
          onClose={() => setDialog(null)}
          onDone={(datasetId) =>
            say(
              <Link href={`/datasets/${encodeURIComponent(datasetId)}`}>Added to the dataset</Link>,
            )
          }
        />
      )}
    </>
  )
}

const Large = ({
  loaded,
  onAll,
}: {
  loaded: Extract<Loaded, { is: 'large' }>
  onAll: () => void
}) => (
  <>
    {loaded.step.error !== null && <ErrorText text={loaded.step.error} />}
    <p className="notice row">
      <span className="grow">
        Input and output together have {bytes(loaded.size)}. This is how they begin.
      </span>
      <button type="button" className="button" onClick={onAll}>
        Load all {bytes(loaded.size)}
      </button>
    </p>
    {loaded.output !== null && (
      <section aria-label="Output">
        <h3>Output</h3>
        <pre className="value">{visible(loaded.output)}…</pre>
      </section>
    )}
    {loaded.input !== null && (
      <section aria-label="Input">
        <h3>Input</h3>
        <pre className="value">{visible(loaded.input)}…</pre>
      </section>
    )}
  </>
)

const Body = ({ step, tab, onChanged }: { step: Step; tab: Tab; onChanged: () => void }) => {
  const { generation } = step
  switch (tab) {
    case 'content':
      return (
        <>
          {step.error !== null && <ErrorText text={step.error} />}
          {generation?.error != null && generation.error !== step.error && (
            <ErrorText text={generation.error} />
          )}
          {step.output != null && <ValueView title="Output" value={step.output} />}
          {step.input != null && <ValueView title="Input" value={step.input} />}
          {step.output == null && step.input == null && generation === null && (
            <p className="quiet">Neither input nor output was recorded.</p>
          )}
          {generation !== null && step.output == null && step.input == null && (
            <GenerationBody generation={generation} />
          )}
          {step.attachments.map((file) => (
            <FileView key={file.id} file={file} />
          ))}
          <Facts step={step} />
        </>
      )
    case 'generation':
      return generation === null ? (
        <p className="quiet">This step is no call of a model.</p>
      ) : (
        <GenerationBody generation={generation} />
      )
    case 'scores':
      return <ScoreList scores={step.scores} onChanged={onChanged} />
    case 'files':
      return step.attachments.length === 0 ? (
        <p className="quiet">No files are attached.</p>
      ) : (
        step.attachments.map((file) => <FileView key={file.id} file={file} />)
      )
    case 'metadata':
      return step.metadata == null ? (
        <p className="quiet">No metadata was recorded.</p>
      ) : (
        <ValueView title="Metadata" value={step.metadata} />
      )
    case 'raw':
      return <ValueView title="Step" value={step} />
  }
}

const ErrorText = ({ text }: { text: string }) => (
  <section className="problem" aria-label="Error">
    <pre dir="auto">{visible(text)}</pre>
  </section>
)

const Facts = ({ step }: { step: Step }) => (
  <dl className="facts">
    <dt>Started</dt>
    <dd>
      <Time at={step.startTime} ms />
    </dd>
    <dt>Ended</dt>
    <dd>{step.endTime === null ? 'no end recorded' : <Time at={step.endTime} ms />}</dd>
    <dt>Arrived</dt>
    <dd>
      <Time at={step.createdAt} ms />
    </dd>
    {step.environment !== null && (
      <>
        <dt>Environment</dt>
        <dd>{step.environment}</dd>
      </>
    )}
    {(step.tags?.length ?? 0) > 0 && (
      <>
        <dt>Tags</dt>
        <dd>
          <Tags tags={step.tags} />
        </dd>
      </>
    )}
    <dt>Id</dt>
    <dd className="mono">{visible(step.id)}</dd>
  </dl>
)

const GenerationBody = ({ generation }: { generation: NonNullable<Step['generation']> }) => {
  // Computed from what is known: some clients send a rate that is a thousand times too large.
  const rate =
    generation.outputTokenCount !== null && generation.duration
      ? generation.outputTokenCount / generation.duration
      : null
  return (
    <>
      {generation.error !== null && <ErrorText text={generation.error} />}
      <dl className="facts">
        <dt>Model</dt>
        <dd>
          {generation.model === null ? (
            '–'
          ) : (
            <Link href={`/generations?q=${encodeURIComponent(`model=${quote(generation.model)}`)}`}>
              <bdi>{line(generation.model)}</bdi>
            </Link>
          )}
          {generation.provider !== null && (
            <span className="soft"> of {line(generation.provider)}</span>
          )}
        </dd>
        <dt>Tokens</dt>
        <dd>
          {count(generation.inputTokenCount)} → {count(generation.outputTokenCount)}
          <span className="soft"> ({count(generation.tokenCount)} in all)</span>
        </dd>
        <dt>Duration</dt>
        <dd>{duration(generation.duration === null ? null : generation.duration * 1000)}</dd>
        <dt>First token</dt>
        <dd>{duration(generation.ttFirstToken)}</dd>
        <dt>Throughput</dt>
        <dd>{rate === null ? '–' : `${showScore(rate)} tokens/s`}</dd>
        {generation.promptId !== null && (
          <>
            <dt>Prompt version</dt>
            <dd>
              <PromptName id={generation.promptId} />
            </dd>
          </>
        )}
      </dl>
      {generation.messageCompletion != null && (
        <section aria-label="Completion">
          <h3>Completion</h3>
          <MessageView message={generation.messageCompletion} />
        </section>
      )}
      {generation.completion !== null && (
        <ValueView title="Completion" value={generation.completion} />
      )}
      {generation.prompt !== null && <ValueView title="Prompt" value={generation.prompt} />}
      {generation.messages != null && (
        <section aria-label="Messages">
          <h3>
            {Array.isArray(generation.messages)
              ? plural(generation.messages.length, 'message')
              : 'Messages'}
          </h3>
          <Messages messages={generation.messages} />
        </section>
      )}
      {generation.settings != null && <ValueView title="Settings" value={generation.settings} />}
      {generation.tools != null && <ValueView title="Tools" value={generation.tools} />}
      {generation.variables != null && <ValueView title="Variables" value={generation.variables} />}
      {generation.metadata != null && (
        <ValueView title="Generation metadata" value={generation.metadata} />
      )}
    </>
  )
}
