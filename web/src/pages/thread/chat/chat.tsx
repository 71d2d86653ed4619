import { useEffect, useMemo, useRef, useState } from 'react'
import { plural } from '../../../format/number.js'
import { ProblemView } from '../../../ui/problem-view.js'
import type { Outline } from '../outline/outline.js'
import { ChatEntry } from './chat-entry.js'
import { chatItemsOf } from './chat-items.js'
import { useMessages } from './use-messages.js'

/** Messages in the page at once; the ones before and after are a click away. */
const WINDOW = 200

/** Shows a thread as a conversation. */
export const Chat = ({
  outline,
  selected,
  onSelect,
}: {
  outline: Outline
  selected: number
  onSelect: (place: number) => void
}) => {
  const items = useMemo(() => chatItemsOf(outline), [outline])
  const near = items.findLastIndex(({ place }) => place <= selected)
  const [from, setFrom] = useState(() => Math.max(0, Math.min(near - 10, items.length - WINDOW)))
  const shown = items.slice(from, from + WINDOW)
  const { messages, problem, retry } = useMessages(outline, shown)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Scrolls to the message of the selected step, in this pane alone.
    if (near < 0) return
    setFrom((first) => (near < first || near >= first + WINDOW ? Math.max(0, near - 10) : first))
  }, [near])
  useEffect(() => {
    const element = box.current?.querySelector<HTMLElement>('.is-selected')
    if (element == null || box.current === null) return
    const { offsetTop, offsetHeight } = element
    const { scrollTop, clientHeight } = box.current
    if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight)
      box.current.scrollTop = offsetTop - 40
    // Scrolls for another selection alone.
  }, [selected, from])
  return (
    <div className="chat" ref={box}>
      {problem !== undefined && <ProblemView problem={problem} retry={retry} />}
      {from > 0 && (
        <button
          type="button"
          className="button small"
          onClick={() => setFrom(Math.max(0, from - WINDOW / 2))}
        >
          ↑ {plural(from, 'earlier message')}
        </button>
      )}
      {shown.map(({ place, work }, index) => (
        <ChatEntry
          key={outline.ids[place]}
          place={place}
          outline={outline}
          message={messages.get(outline.ids[place] ?? '')}
          isSelected={from + index === near && outline.isMessage(selected) && selected === place}
          work={work}
          onSelect={onSelect}
        />
      ))}
      {from + WINDOW < items.length && (
        <button type="button" className="button small" onClick={() => setFrom(from + WINDOW / 2)}>
          ↓ {plural(items.length - from - WINDOW, 'later message')}
        </button>
      )}
    </div>
  )
}
