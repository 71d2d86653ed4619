import { bytes } from '../../../format/number.js'
import { visible } from '../../../format/text.js'
import { ScoreList } from '../../../scoring/score-list.js'
import { Tags, Time } from '../../../table/cells.js'
import { ErrorText } from '../../../values/error-text.js'
import { FileView } from '../../../values/file-view.js'
import { ValueView } from '../../../values/value-view.js'
import { GenerationBody } from './generation-body.js'
import type { LoadedStep, Step } from './use-step.js'

/** The parts of a step, each with its title. */
export const TABS = {
  content: 'Content',
  generation: 'Generation',
  scores: 'Scores',
  files: 'Files',
  metadata: 'Metadata',
  raw: 'Raw',
} as const
export type Tab = keyof typeof TABS

/** Shows one part of a step that was read in full. */
export const StepBody = ({
  step,
  tab,
  onChanged,
}: {
  step: Step
  tab: Tab
  onChanged: () => void
}) => {
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
        <p className="quiet">This step is not a model call.</p>
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

/** The beginning of a step that is too large to be read unasked. */
export const LargeStep = ({
  loaded,
  onAll,
}: {
  loaded: Extract<LoadedStep, { is: 'large' }>
  onAll: () => void
}) => (
  <>
    {loaded.step.error !== null && <ErrorText text={loaded.step.error} />}
    <p className="notice row">
      <span className="grow">
        Input and output together have {bytes(loaded.size)}. Only the beginning is shown.
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
