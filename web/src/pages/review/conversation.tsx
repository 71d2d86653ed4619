import { useEffect, useRef, useState } from 'react'
import { score as showScore } from '../../format/number.js'
import { line, visible } from '../../format/text.js'
import { TypeIcon } from '../../ui/icons.js'
import { Messages, MessageView } from '../../values/messages.js'
import { readable, textOf } from '../../values/readable.js'
import { ValueView } from '../../values/value-view.js'
import type { Item } from './queue-units.js'
import { type Conversation, type ConversationStep, isMessage } from './use-conversation.js'

/** The whole conversation of a thread. One of its messages can be chosen, to be judged by itself. */
export const ConversationView = ({
  conversation: { steps, seen },
  scores,
  chosen,
  onChoose,
}: {
  conversation: Conversation
  /** Those that this reviewer gave to steps of it; other judges' would sway. */
  scores: Item['partScores']
  chosen: string | undefined
  onChoose: (stepId: string | undefined) => void
}) => {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (chosen !== undefined)
      box.current?.querySelector('.is-selected')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  if (steps.length === 0 && seen.length === 0)
    return <p className="quiet">No messages were recorded in this thread.</p>
  if (!steps.some(isMessage)) return <Messages messages={seen} />
  return (
    <div className="column" ref={box}>
      {steps.map((step) =>
        isMessage(step) ? (
          <div
            key={step.id}
            className={`review-message${step.id === chosen ? ' is-selected' : ''}`}
          >
            <MessageView message={messageOf(step)} />
            <div className="row wrap">
              <button
                type="button"
                className="button plain small"
                aria-pressed={step.id === chosen}
                onClick={(event) => {
                  const isNew = step.id !== chosen
                  // Enter saves what is judged next, and must not press the button again.
                  if (event.detail > 0) event.currentTarget.blur()
                  else if (isNew) focusForm()
                  onChoose(isNew ? step.id : undefined)
                }}
              >
                {step.id === chosen ? 'Judge the whole conversation' : 'Judge this message'}
              </button>
              {scores
                .filter(({ stepId }) => stepId === step.id)
                .map((score) => (
                  <span key={score.id} className="tag">
                    <bdi>{line(score.name, 40)}</bdi> {showScore(score.value)}
                  </span>
                ))}
            </div>
          </div>
        ) : (
          <Tool key={step.id} step={step} />
        ),
      )}
    </div>
  )
}

const focusForm = () =>
  document.querySelector<HTMLElement>('.review-form :is(button, input):enabled')?.focus()

/** Longer messages are cut, as in the chat of a thread. */
const MAX_MESSAGE_LENGTH = 20_000

const cut = (text: string): string =>
  text.length > MAX_MESSAGE_LENGTH
    ? `${text.slice(0, MAX_MESSAGE_LENGTH)}… (the rest is in the step)`
    : text

const messageOf = ({ type, input, output }: ConversationStep): object => {
  const value = output ?? input
  const role = type.replace('_message', '')
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isRecord && 'content' in value) {
    const { content } = value
    return { role, ...value, content: typeof content === 'string' ? cut(content) : content }
  }
  return { role, content: cut(textOf(value) ?? (value == null ? '' : readable(value))) }
}

/** A tool that was called. Its values are mounted once it is open, as they may be large. */
const Tool = ({ step }: { step: ConversationStep }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      className="review-tool"
      onToggle={(event) => setOpen((event.target as HTMLDetailsElement).open)}
    >
      <summary>
        <TypeIcon type="tool" /> <strong>{line(step.name, 60) || 'tool'}</strong>
        {step.error !== null && <span className="bad"> failed</span>}
      </summary>
      {isOpen && step.error !== null && <pre className="problem">{visible(step.error)}</pre>}
      {isOpen && step.input != null && <ValueView title="Input" value={step.input} />}
      {isOpen && step.output != null && <ValueView title="Output" value={step.output} />}
    </details>
  )
}
