import { useState } from 'react'
import { count } from '../../../format/number.js'
import { line, visible } from '../../../format/text.js'
import { ErrorText } from '../../../values/error-text.js'
import { Markdown } from '../../../values/markdown.js'
import { readable, textOf } from '../../../values/readable.js'
import type { Message } from './contents.js'
import { callsOf, saidIn } from './said.js'

const MAX_MESSAGE_LENGTH = 20_000
/** Instructions longer than this would hide the conversation that they precede. */
const MAX_UNFOLDED_LENGTH = 600
/** The beginning of them that shows, about three lines. */
const FOLDED_LENGTH = 200

/** The words of a message or of a model's answer, and the names of the tools that it calls. */
export const MessageBody = ({
  message,
  isFolding = false,
}: {
  message: Message
  /** Shows the beginning of a long text, and the rest on request. */
  isFolding?: boolean
}) => {
  const value = saidIn(message)
  const [isOpen, setOpen] = useState(false)
  const text = isFolding && !isOpen ? textOf(value) : undefined
  const calls = callsOf(value)
  return (
    <>
      {message.error !== null && <ErrorText text={message.error} />}
      {value == null ? (
        message.error === null && <span className="quiet">no content</span>
      ) : text !== undefined && text.length > MAX_UNFOLDED_LENGTH ? (
        <>
          <p>
            <bdi>{line(text, FOLDED_LENGTH)}</bdi>
          </p>
          <button type="button" className="button small" onClick={() => setOpen(true)}>
            All {count(text.length)} characters
          </button>
        </>
      ) : (
        <Words value={value} isSilent={calls.length > 0} />
      )}
      {calls.length > 0 && (
        <p className="soft">
          calls{' '}
          {calls.map((name, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: calls have no ids
            <span key={index}>
              {index > 0 && ', '}
              <bdi className="mono">{visible(name)}</bdi>
            </span>
          ))}
        </p>
      )}
    </>
  )
}

const Words = ({ value, isSilent }: { value: unknown; isSilent: boolean }) => {
  const text = textOf(value) ?? (value as { content?: unknown }).content
  if (typeof text === 'string')
    return text.length > MAX_MESSAGE_LENGTH ? (
      <>
        <p style={{ whiteSpace: 'pre-wrap' }}>{visible(text.slice(0, MAX_MESSAGE_LENGTH))}…</p>
        <p className="quiet">The rest is in the step.</p>
      </>
    ) : (
      <Markdown text={text} />
    )
  if (isSilent && text == null) return null
  return <pre dir="auto">{visible(readable(value).slice(0, MAX_MESSAGE_LENGTH))}</pre>
}
