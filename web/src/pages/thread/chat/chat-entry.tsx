import { memo } from 'react'
import { plural } from '../../../format/number.js'
import { line, visible } from '../../../format/text.js'
import { duration } from '../../../format/time.js'
import { Time } from '../../../table/cells.js'
import { Icon } from '../../../ui/icons.js'
import { FileView } from '../../../values/file-view.js'
import { Markdown } from '../../../values/markdown.js'
import { readable, textOf } from '../../../values/readable.js'
import type { Outline } from '../outline/outline.js'
import type { ChatItem } from './chat-items.js'
import type { Message } from './use-messages.js'

export const ChatEntry = memo(
  ({
    place,
    outline,
    message,
    isSelected,
    work,
    onSelect,
  }: {
    place: number
    outline: Outline
    message: Message | undefined
    isSelected: boolean
    work: ChatItem['work']
    onSelect: (place: number) => void
  }) => {
    const type = outline.type(place)
    const at = Number.isNaN(outline.start[place] ?? Number.NaN)
      ? null
      : new Date(outline.base + (outline.start[place] ?? 0)).toISOString()
    return (
      <>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the speaker's name is a button */}
        <article
          className={`message ${type}${isSelected ? ' is-selected' : ''}`}
          onClick={() => {
            if (!window.getSelection()?.toString()) onSelect(place)
          }}
        >
          <header>
            <button
              type="button"
              className="button plain small"
              style={{ height: 20, padding: 0 }}
              onClick={() => onSelect(place)}
            >
              <strong>
                <bdi>{line(outline.name(place), 60) || type.replace('_message', '')}</bdi>
              </strong>
            </button>
            {outline.name(place) !== '' && <span>{type.replace('_message', '')}</span>}
            <span className="grow" />
            {outline.hasFailed(place) && <Icon name="error" className="bad" />}
            <Time at={at} />
          </header>
          {message === undefined ? <span className="quiet">…</span> : <Body message={message} />}
          {message !== undefined && message.scores.length > 0 && (
            <p className="soft">
              {message.scores.map((score) => (
                <span key={score.id} className="tag" style={{ marginRight: 4 }}>
                  <bdi>{line(score.name, 40)}</bdi> {score.label ?? score.value}
                </span>
              ))}
            </p>
          )}
          {message?.attachments.map((file) => (
            <FileView key={file.id} file={file} />
          ))}
        </article>
        {work.count > 0 && (
          <button
            type="button"
            className="button plain small work soft"
            onClick={() => onSelect(work.first)}
          >
            <Icon name="right" /> {plural(work.count, 'step')} · {duration(work.ms)}
            {work.errors > 0 && <span className="bad"> · ✕ {work.errors}</span>}
          </button>
        )}
      </>
    )
  },
)

const MAX_MESSAGE_LENGTH = 20_000

const Body = ({ message }: { message: Message }) => {
  const value = message.output ?? message.input
  if (value == null) return <span className="quiet">no content</span>
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
  const shown = readable(value)
  return <pre dir="auto">{visible(shown.slice(0, MAX_MESSAGE_LENGTH))}</pre>
}
