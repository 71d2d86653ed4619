import { useState } from 'react'
import { line } from '../../../format/text.js'
import { duration } from '../../../format/time.js'
import { Icon } from '../../../ui/icons.js'
import { ErrorText } from '../../../values/error-text.js'
import { ValueView } from '../../../values/value-view.js'
import type { Outline } from '../outline/outline.js'
import { LargeStep } from '../step/step-body.js'
import { useStep } from '../step/use-step.js'
import type { ToolCall } from './contents.js'

/** A call of a tool in the conversation: one line, which unfolds its arguments and result. */
export const ToolEntry = ({
  place,
  outline,
  call,
  isSelected,
  onSelect,
  onOpen,
}: {
  place: number
  outline: Outline
  call: ToolCall | undefined
  isSelected: boolean
  onSelect: (place: number) => void
  onOpen: (place: number) => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const failed = outline.hasFailed(place)
  const name = line(outline.name(place), 80) || 'tool'
  const length = outline.duration[place] ?? Number.NaN
  return (
    <div className={`tool-call${isSelected ? ' is-selected' : ''}`}>
      <button
        type="button"
        className="tool-line"
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen)
          onSelect(place)
        }}
      >
        <Icon name={isOpen ? 'down' : 'right'} />
        {failed ? (
          <Icon name="error" className="bad" />
        ) : (
          <Icon name="tool" className="type-tool" />
        )}
        <strong className={failed ? 'clip bad' : 'clip'}>
          <bdi>{name}</bdi>
        </strong>
        <bdi className="clip grow mono soft">{line(call?.inputPreview, 160)}</bdi>
        {failed && <span className="bad">failed</span>}
        <span className="soft">{duration(Number.isNaN(length) ? null : length)}</span>
      </button>
      {failed && !isOpen && call?.error != null && (
        <p className="clip bad mono tool-error">{line(call.error, 200)}</p>
      )}
      {isOpen && (
        <Opened
          id={outline.ids[place]}
          state={outline.stateOf(place)}
          onOpen={() => onOpen(place)}
        />
      )}
    </div>
  )
}

const Opened = ({
  id,
  state,
  onOpen,
}: {
  id: string | undefined
  state: string
  onOpen: () => void
}) => {
  const { loaded, wantAll } = useStep(id, state)
  return (
    <div className="tool-values">
      {loaded.is === 'loading' && <p className="quiet">…</p>}
      {loaded.is === 'failed' && <p className="bad">{loaded.problem.message}</p>}
      {loaded.is === 'gone' && <p className="notice">This step has been deleted.</p>}
      {loaded.is === 'large' && <LargeStep loaded={loaded} onAll={wantAll} />}
      {loaded.is === 'whole' && (
        <>
          {loaded.step.error !== null && <ErrorText text={loaded.step.error} />}
          {loaded.step.input != null && <ValueView title="Arguments" value={loaded.step.input} />}
          {loaded.step.output != null && <ValueView title="Result" value={loaded.step.output} />}
          {loaded.step.input == null && loaded.step.output == null && (
            <p className="quiet">Neither arguments nor a result were recorded.</p>
          )}
        </>
      )}
      <button type="button" className="button plain small only-narrow" onClick={onOpen}>
        The step in full
      </button>
    </div>
  )
}
