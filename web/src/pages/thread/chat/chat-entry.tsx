import { memo } from 'react'
import { plural } from '../../../format/number.js'
import { line } from '../../../format/text.js'
import { Time } from '../../../table/cells.js'
import { Icon, TypeIcon } from '../../../ui/icons.js'
import { FileView } from '../../../values/file-view.js'
import type { Outline } from '../outline/outline.js'
import { type ChatItem, idsIn, keyOf } from './chat-items.js'
import type { Contents, Message } from './contents.js'
import { MessageBody } from './message-body.js'
import { callsOf, saidIn, wordsIn } from './said.js'
import { ToolEntry } from './tool-entry.js'
import { WorkEntry } from './work-entry.js'

interface EntryProps {
  item: ChatItem
  outline: Outline
  contents: Contents
  isSelected: boolean
  /** Selects a step; the conversation stays in view. */
  onSelect: (place: number) => void
  /** Leads to a step, which shows in full. */
  onOpen: (place: number) => void
  /** Shows calls that are folded away. */
  onUnfold: (ids: readonly string[]) => void
}

/** An entry of a conversation. Its key finds it again when the thread has grown. */
export const ChatEntry = memo(
  ({ item, outline, contents, isSelected, onSelect, onOpen, onUnfold }: EntryProps) => (
    <div
      className={`entry${item.kind === 'message' || item.kind === 'speech' ? '' : ' of-work'}`}
      data-key={keyOf(outline, item)}
    >
      {item.kind === 'tool' ? (
        <ToolEntry
          place={item.place}
          outline={outline}
          call={contents.tools.get(outline.ids[item.place] ?? '')}
          isSelected={isSelected}
          onSelect={onSelect}
          onOpen={onOpen}
        />
      ) : item.kind === 'work' ? (
        <WorkEntry
          work={item}
          outline={outline}
          isSelected={isSelected}
          onSelect={onSelect}
          onOpen={onOpen}
        />
      ) : item.kind === 'more' ? (
        <button
          type="button"
          className="button plain small soft"
          aria-expanded={false}
          onClick={() => onUnfold(idsIn(outline, item))}
        >
          <Icon name="right" /> {plural(item.count, 'more call')}
        </button>
      ) : (
        <MessageEntry
          place={item.place}
          outline={outline}
          message={contents.messages.get(outline.ids[item.place] ?? '')}
          isSelected={isSelected}
          onSelect={onSelect}
        />
      )}
    </div>
  ),
  // Contents are a new map after each request; those of this entry are seldom new.
  (before, after) =>
    before.item.kind === after.item.kind &&
    before.item.place === after.item.place &&
    before.outline === after.outline &&
    before.isSelected === after.isSelected &&
    contentOf(before) === contentOf(after),
)

const contentOf = ({ item, outline, contents }: EntryProps): unknown => {
  const id = outline.ids[item.place] ?? ''
  return item.kind === 'tool' ? contents.tools.get(id) : contents.messages.get(id)
}

const MessageEntry = ({
  place,
  outline,
  message,
  isSelected,
  onSelect,
}: {
  place: number
  outline: Outline
  message: Message | undefined
  isSelected: boolean
  onSelect: (place: number) => void
}) => {
  const type = outline.type(place)
  const speaker = type === 'llm' ? 'assistant' : type.replace('_message', '')
  const name = line(outline.name(place), 60)
  const start = outline.start[place] ?? Number.NaN
  const value = message === undefined ? undefined : saidIn(message)
  const calls = callsOf(value)
  // A model that only calls tools says nothing; the calls follow.
  if (type === 'llm' && calls.length > 0 && message?.error === null && !wordsIn(value))
    return (
      <div className={`tool-call${isSelected ? ' is-selected' : ''}`}>
        <button type="button" className="tool-line" onClick={() => onSelect(place)}>
          <TypeIcon type="llm" />
          <strong>
            <bdi>{name || speaker}</bdi>
          </strong>
          <bdi className="clip grow soft">calls {line(calls.join(', '), 160)}</bdi>
          {outline.hasFailed(place) && <span className="bad">failed</span>}
        </button>
      </div>
    )
  const at = Number.isNaN(outline.base + start)
    ? null
    : new Date(outline.base + start).toISOString()
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the speaker's name is a button
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
          style={{ height: 20, minHeight: 0, padding: 0 }}
          onClick={() => onSelect(place)}
        >
          <strong>
            <bdi>{name || speaker}</bdi>
          </strong>
        </button>
        {name !== '' && name.toLowerCase() !== speaker && <span>{speaker}</span>}
        <span className="grow" />
        {outline.hasFailed(place) && <Icon name="error" className="bad" />}
        <Time at={at} />
      </header>
      {message === undefined ? (
        <span className="quiet">The step is gone.</span>
      ) : (
        <MessageBody message={message} isFolding={type === 'system_message'} />
      )}
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
  )
}
