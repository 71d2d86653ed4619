import { memo, useState } from 'react'
import { useLocation } from 'wouter'
import { segment } from '../../../address/segment.js'
import { count } from '../../../format/number.js'
import { duration } from '../../../format/time.js'
import { threadLink } from '../../../parts/thread-link.js'
import { WordChanges } from '../../../values/word-changes.js'
import { ChatEntry } from '../chat/chat-entry.js'
import { keyOf } from '../chat/chat-items.js'
import { answerOf, type Side } from './differences.js'
import type { Turn } from './turns.js'
import type { Row } from './use-comparison.js'

/** One turn of two threads: its differences in words, and below them both conversations. */
export const BesideRow = memo(
  ({
    number,
    row,
    ids,
    left,
    right,
  }: {
    number: number
    row: Row
    ids: readonly [left: string, right: string]
    left: Side
    right: Side
  }) => {
    const [showsWords, setShowsWords] = useState(false)
    const { differences } = row
    // Equal turns are closed, so that the page begins with what differs.
    const [isOpen, setOpen] = useState(differences.length > 0)
    const before = row.left === undefined ? '' : answerOf(left, row.left)
    const after = row.right === undefined ? '' : answerOf(right, row.right)
    const hasWords = before !== '' && after !== '' && before !== after
    return (
      <section
        className={`beside-row${differences.length > 0 ? ' differs' : ''}`}
        aria-label={`Turn ${number}`}
      >
        <header>
          <strong>Turn {number}</strong>
          {differences.length === 0 ? (
            <>
              <span className="quiet">the same</span>
              <button
                type="button"
                className="button plain small"
                aria-expanded={isOpen}
                onClick={() => setOpen(!isOpen)}
              >
                {isOpen ? 'hide' : 'show'}
              </button>
            </>
          ) : (
            differences.map((difference) => (
              <span className="tag" key={difference}>
                <bdi>{difference}</bdi>
              </span>
            ))
          )}
          {hasWords && (
            <button
              type="button"
              className="button plain small"
              aria-expanded={showsWords}
              onClick={() => setShowsWords(!showsWords)}
            >
              {showsWords ? 'hide the words' : 'changed words'}
            </button>
          )}
        </header>
        {showsWords && hasWords && <WordChanges from={before} to={after} />}
        {(isOpen || differences.length > 0) && (
          <div className="beside-turns">
            <TurnView name="Left" threadId={ids[0]} turn={row.left} side={left} />
            <TurnView name="Right" threadId={ids[1]} turn={row.right} side={right} />
          </div>
        )}
      </section>
    )
  },
  (before, after) =>
    before.row.left === after.row.left &&
    before.row.right === after.row.right &&
    before.number === after.number &&
    before.row.differences.join('\n') === after.row.differences.join('\n'),
)

const TurnView = ({
  name,
  threadId,
  turn,
  side: { outline, contents },
}: {
  name: string
  threadId: string
  turn: Turn | undefined
  side: Side
}) => {
  const [, navigate] = useLocation()
  if (turn === undefined)
    return (
      <div className="beside-turn is-missing" role="group" aria-label={name}>
        <p className="quiet">This thread has no such turn.</p>
      </div>
    )
  const open = (place: number) =>
    navigate(`${threadLink(threadId)}?step=${segment(outline.ids[place] ?? '')}`)
  return (
    <div className="beside-turn" role="group" aria-label={name}>
      {turn.items.map((item) => (
        <ChatEntry
          key={keyOf(outline, item)}
          item={item}
          outline={outline}
          contents={contents}
          isSelected={false}
          onSelect={NOTHING}
          onOpen={open}
          onUnfold={NOTHING}
        />
      ))}
      <p className="quiet beside-facts">
        <span>{duration(Number.isNaN(turn.ms) ? null : turn.ms)}</span>
        {turn.tokens > 0 && <span>{count(turn.tokens)} tok</span>}
      </p>
    </div>
  )
}

/** Nothing is selected here; the thread's own page does that. */
const NOTHING = () => {}
