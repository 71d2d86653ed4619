import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useStableCallback } from '../../../browser/use-stable-callback.js'
import { plural } from '../../../format/number.js'
import { ProblemView } from '../../../ui/problem-view.js'
import type { Outline } from '../outline/outline.js'
import { ChatEntry } from './chat-entry.js'
import { chatItemsOf, idsIn, itemOf, keyOf } from './chat-items.js'
import { useAnchor } from './use-anchor.js'
import { usePortion } from './use-portion.js'

/** The distance from either end, in screens, at which more entries are read. */
const NEAR_SCREENS = 1.5
/** The part of an entry that must show for it to count as visible. */
const MIN_VISIBLE_PX = 32
/** The distance from the top at which a chosen entry is shown. */
const MARGIN_PX = 48

/** Shows a thread as a conversation, with the calls of tools in it. It follows the selected step. */
export const Chat = ({
  outline,
  judged,
  selected,
  onSelect,
  onOpen,
}: {
  outline: Outline
  /** The newest scores of messages that were judged meanwhile. */
  judged: ReadonlyMap<string, string>
  selected: number
  onSelect: (place: number) => void
  onOpen: (place: number) => void
}) => {
  // By id, as places change when the thread grows.
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const items = useMemo(() => chatItemsOf(outline, unfolded), [outline, unfolded])
  const near = useMemo(() => itemOf(items, selected), [items, selected])
  // The entry to scroll to once it is there; a step scrolls once, and the reader may then scroll away.
  const wanted = useRef<string | 'end' | 'start'>(undefined)
  const { portion, problem, retry, jump, later, earlier } = usePortion(
    outline,
    items,
    near,
    judged,
    () => wanted.current !== undefined,
  )
  const unfold = useStableCallback((ids: readonly string[]) =>
    setUnfolded((all) => new Set([...all, ...ids])),
  )
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const remember = useAnchor(box, list)
  const nearItem = items[near]
  const nearKey = nearItem && keyOf(outline, nearItem)
  useEffect(() => {
    // A selected call is never folded away.
    if (nearItem?.kind === 'more') unfold(idsIn(outline, nearItem))
  }, [outline, nearItem, unfold])
  useLayoutEffect(() => {
    wanted.current = nearKey
    if (portion !== undefined && (near < portion.from || near >= portion.to)) void jump(near)
  }, [selected, nearKey])
  useLayoutEffect(() => {
    const frame = box.current
    const content = list.current
    const key = wanted.current
    if (frame === null || content === null || key === undefined || portion === undefined) return
    if (key === 'end' || key === 'start') {
      frame.scrollTop = key === 'end' ? frame.scrollHeight : 0
    } else {
      const entry = content.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)
      if (entry === null) return
      const above = entry.getBoundingClientRect().top - frame.getBoundingClientRect().top
      const isVisible =
        above + entry.offsetHeight >= MIN_VISIBLE_PX && above <= frame.clientHeight - MIN_VISIBLE_PX
      if (!isVisible) frame.scrollTop += above - MARGIN_PX
    }
    wanted.current = undefined
    remember()
  }, [selected, nearKey, portion, remember])
  useLayoutEffect(() => {
    const frame = box.current
    // Browsers keep entries in place but at the very top, where earlier ones are added.
    if (frame !== null && frame.scrollTop === 0 && (portion?.from ?? 0) > 0) frame.scrollTop = 1
  })
  const goTo = (end: 'start' | 'end') => {
    wanted.current = end
    void jump(end === 'end' ? items.length - 1 : 0)
  }
  const shown = portion?.items.slice(portion.from, portion.to) ?? []
  const before = portion?.from ?? 0
  // Its place stays when all is read, so that nothing moves.
  const hadEarlier = useRef(false)
  if (before > 0) hadEarlier.current = true
  const after = (portion?.items.length ?? 0) - (portion?.to ?? 0)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Home and End are those of a scrolling text
    <div
      className="chat"
      ref={box}
      tabIndex={0}
      onScroll={(event) => {
        remember()
        const { scrollTop, scrollHeight, clientHeight } = event.currentTarget
        const room = NEAR_SCREENS * clientHeight
        if (scrollHeight - scrollTop - clientHeight < room) later()
        else if (scrollTop < room) earlier()
      }}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
        if (event.key !== 'End' && event.key !== 'Home') return
        event.preventDefault()
        goTo(event.key === 'End' ? 'end' : 'start')
      }}
    >
      {problem !== undefined && <ProblemView problem={problem} retry={retry} />}
      {hadEarlier.current && (
        <div className="chat-edge quiet">
          {before > 0 ? (
            <button type="button" className="button small" onClick={earlier}>
              ↑ {plural(before, 'earlier entry', 'earlier entries')}
            </button>
          ) : (
            'The beginning of the conversation'
          )}
        </div>
      )}
      <div className="chat-list" ref={list}>
        {portion !== undefined &&
          shown.map((item, index) => (
            <ChatEntry
              key={keyOf(portion.outline, item)}
              item={item}
              outline={portion.outline}
              contents={portion.contents}
              isSelected={portion.items === items && portion.from + index === near}
              onSelect={onSelect}
              onOpen={onOpen}
              onUnfold={unfold}
            />
          ))}
      </div>
      {after > 0 && (
        <button type="button" className="button small" onClick={later}>
          ↓ {plural(after, 'later entry', 'later entries')}
        </button>
      )}
    </div>
  )
}
