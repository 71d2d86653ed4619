import { useState } from 'react'
import { plural } from '../../../format/number.js'
import { line } from '../../../format/text.js'
import { duration } from '../../../format/time.js'
import { Icon, TypeIcon, typeName } from '../../../ui/icons.js'
import type { Outline } from '../outline/outline.js'
import type { Work } from './chat-items.js'

/** Steps that are listed in the conversation; the tree has all. */
const MAX_LISTED = 50

/** The steps between two messages: their number and time, which unfold to the steps themselves. */
export const WorkEntry = ({
  work,
  outline,
  isSelected,
  onSelect,
  onOpen,
}: {
  work: Work
  outline: Outline
  isSelected: boolean
  onSelect: (place: number) => void
  onOpen: (place: number) => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const listed = Array.from(
    { length: Math.min(work.count, MAX_LISTED) },
    (_, at) => work.place + at,
  )
  const least = Math.min(...listed.map((place) => outline.depth[place] ?? 0))
  return (
    <div className={`work${isSelected ? ' is-selected' : ''}`}>
      <button
        type="button"
        className="button plain small soft"
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen)
          if (!isOpen) onSelect(work.place)
        }}
      >
        <Icon name={isOpen ? 'down' : 'right'} /> {plural(work.count, 'step')} · {duration(work.ms)}
        {work.errors > 0 && <span className="bad"> · ✕ {work.errors} failed</span>}
      </button>
      {isOpen && (
        <ol className="work-list">
          {listed.map((place) => {
            const length = outline.duration[place] ?? Number.NaN
            const failed = outline.hasFailed(place)
            return (
              <li key={outline.ids[place]}>
                <button
                  type="button"
                  className="tool-line"
                  style={{ paddingLeft: 4 + Math.min((outline.depth[place] ?? 0) - least, 6) * 12 }}
                  onClick={() => onOpen(place)}
                >
                  {failed ? (
                    <Icon name="error" className="bad" />
                  ) : (
                    <TypeIcon type={outline.type(place)} />
                  )}
                  <bdi className={`clip grow${failed ? ' bad' : ''}`}>
                    {line(outline.name(place), 120) || typeName(outline.type(place))}
                  </bdi>
                  <span className="soft">{duration(Number.isNaN(length) ? null : length)}</span>
                </button>
              </li>
            )
          })}
          {work.count > MAX_LISTED && (
            <li>
              <button
                type="button"
                className="button plain small"
                onClick={() => onOpen(work.place + MAX_LISTED)}
              >
                {plural(work.count - MAX_LISTED, 'more step')} in the tree
              </button>
            </li>
          )}
        </ol>
      )}
    </div>
  )
}
