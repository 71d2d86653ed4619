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
import type { Item } from './chat-items.js'
import type { Said } from './use-messages.js'

export const Entry = memo(
  ({
    place,
    outline,
    said,
    isSelected,
    work,
    onSelect,
  }: {
    place: number
    outline: Outline
    said: Said | undefined
    isSelected: boolean
    work: Item['work']
    onSelect: (place: number) => void
  }) => {
    const type = outline.type(place)
    const at = Number.isNaN(outline.start[place] ?? Number.NaN)
      ? null
      : new Date(outline.base + (outline.start[place] ?? 0)).toISOString()
    return (
      <>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the name of who speaks is a button */}
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
          {said === undefined ? <span className="ghost quiet">…</span> : <Body said={said} />}
          {said !== undefined && said.scores.length > 0 && (
            <p className="soft">
              {said.scores.map((score) => (
                <span key={score.id} className="tag" style={{ marginRight: 4 }}>
                  <bdi>{line(score.name, 40)}</bdi> {score.label ?? score.value}
                </span>
              ))}
            </p>
          )}
          {said?.attachments.map((file) => (
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

const MOST_SHOWN = 20_000

const Body = ({ said }: { said: Said }) => {
  const value = said.output ?? said.input
  if (value == null) return <span className="quiet">no content</span>
  const text = textOf(value) ?? (value as { content?: unknown }).content
  if (typeof text === 'string')
    return text.length > MOST_SHOWN ? (
      <>
        <p style={{ whiteSpace: 'pre-wrap' }}>{visible(text.slice(0, MOST_SHOWN))}…</p>
        <p className="quiet">The rest is in the step.</p>
      </>
    ) : (
      <Markdown text={text} />
    )
  const shown = readable(value)
  return <pre dir="auto">{visible(shown.slice(0, MOST_SHOWN))}</pre>
}
