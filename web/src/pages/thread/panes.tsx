import { useMemo, useRef } from 'react'
import { useAddress } from '../../address/use-address.js'
import { useChoice } from '../../address/use-choice.js'
import { useActions } from '../../browser/actions.js'
import { useKeys } from '../../browser/keys.js'
import { useElementWidth } from '../../browser/use-element-width.js'
import { useStableCallback } from '../../browser/use-stable-callback.js'
import { useWidth } from '../../browser/use-width.js'
import { ErrorBoundary } from '../../ui/error-boundary.js'
import { Notices } from '../../ui/notices.js'
import { Chat } from './chat/chat.js'
import type { Outline } from './outline/outline.js'
import { Places } from './outline/places.js'
import { firstRowWithin, isFold, placeOfRow, rowOf, visibleRows } from './outline/rows.js'
import { useFolding } from './outline/use-folding.js'
import { useHits } from './outline/use-hits.js'
import { useOpening } from './outline/use-opening.js'
import { paneNotices } from './pane-notices.js'
import { Splitter } from './splitter.js'
import { Inspector } from './step/inspector.js'
import { Minimap } from './tree/minimap.js'
import { FILTERS, StepsBar } from './tree/steps-bar.js'
import { type Stretch, TimeMap } from './tree/time-map.js'
import { Tree } from './tree/tree.js'
import { useTimeWindow } from './tree/use-time-window.js'

type PaneName = 'chat' | 'steps' | 'step'

/** The conversation, the tree of its steps over time, and one step in full. All three show the same choice. */
export const Panes = ({
  outline,
  revision,
  threadId,
  rootStepId,
  judged,
}: {
  outline: Outline
  /** Undefined while all but the first steps are still to be read. */
  revision: string | undefined
  threadId?: string
  rootStepId?: string
  /** The newest scores of steps that were judged meanwhile. */
  judged: ReadonlyMap<string, string>
}) => {
  const address = useAddress()
  const width = useWidth()
  const panes = useRef<HTMLDivElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const lane = useRef<HTMLDivElement>(null)
  const laneWidth = useElementWidth(lane)
  const failures = useMemo(() => outline.failures(), [outline])
  const hasChat = useMemo(() => {
    for (let place = 0; place < outline.count; place++) if (outline.isMessage(place)) return true
    return false
  }, [outline])
  const selection = useChoice('step')
  const asked = selection.chosen
  const isBeginning = revision === undefined
  const opening = useOpening(outline, failures, !isBeginning)
  const place = asked === undefined ? opening : outline.placeOf(asked)
  const { folding, toggle: toggleAt, unfold, setAll, toggleAlike } = useFolding(outline, place)
  const find = address.get('find') ?? ''
  const only = FILTERS.find((filter) => filter === address.get('only'))
  const {
    hits,
    shown,
    isSearching,
    problem: findProblem,
  } = useHits(outline, find, only, {
    threadId,
    rootStepId,
    revision,
  })
  const filtered = useMemo(() => {
    if (shown === undefined) return undefined
    const withParents = new Places(outline.count)
    for (let step = shown.next(-1); step >= 0; step = shown.next(step))
      // The steps above a shown one show already.
      for (let at = step; at >= 0 && !withParents.has(at); at = outline.parent[at] ?? -1)
        withParents.add(at)
    return withParents
  }, [shown, outline])
  const rows = useMemo(() => visibleRows(outline, folding, filtered), [outline, folding, filtered])
  const selected = rowOf(rows, place)
  const time = useTimeWindow(outline)
  const now = Number.isNaN(outline.base) ? outline.span : Date.now() - outline.base
  const map = useMemo(
    () => new TimeMap(time.stretches, Math.max(40, laneWidth)),
    [time.stretches, laneWidth],
  )
  const views: readonly string[] = hasChat ? ['chat', 'steps', 'step'] : ['steps', 'step']
  const view = address.get('view')
  // Addresses may name a view of another thread, or none.
  const shownPane = view !== undefined && views.includes(view) ? view : views[0]
  const isNarrow = width < 1024
  const select = (next: number, isOpening = false) => {
    const id = outline.ids[next]
    if (id === undefined) return
    if (isOpening) selection.open(id, isNarrow ? { view: 'step' } : {})
    else selection.go(id)
  }
  const selectEntry = useStableCallback((at: number) => {
    const id = outline.ids[at]
    if (id !== undefined) selection.open(id)
  })
  const openEntry = useStableCallback((at: number) => select(at, true))
  const selectRow = useStableCallback((row: number) => {
    const code = rows[row]
    if (code !== undefined) select(placeOfRow(code), true)
  })
  const toggle = useStableCallback((row: number) => {
    const code = rows[row]
    if (code === undefined) return
    const at = placeOfRow(code)
    // A step that is folded away passes the selection on to its fold.
    if (!isFold(code) && place > at && place < at + (outline.size[at] ?? 1)) select(at)
    if (isFold(code)) unfold(at)
    else toggleAt(at)
  })
  const move = (step: number) => {
    const code = rows[Math.max(0, Math.min(rows.length - 1, selected + step))]
    if (code !== undefined) select(placeOfRow(code))
  }
  const rowHeight = width < 640 ? 44 : 24
  // A screen of rows, of which one stays in view.
  const page = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1)
  // The keys of a scrolling text are its own.
  const inTree = (action: () => void) => () =>
    document.activeElement?.closest('.chat') == null ? action() : false
  const zoom = (next: Stretch | undefined) => {
    time.show(next)
    if (next === undefined || scroller.current === null) return
    const row = firstRowWithin(outline, rows, next)
    if (row >= 0) scroller.current.scrollTop = row * rowHeight
  }
  const sibling = (step: 1 | -1) => {
    const parent = outline.parent[place]
    const depth = outline.depth[place]
    for (let at = place + step; at >= 0 && at < outline.count; at += step) {
      if (outline.parent[at] === parent && outline.depth[at] === depth) return select(at)
      if ((outline.depth[at] ?? 0) < (depth ?? 0)) return
    }
  }
  const failure = (step: 1 | -1) => {
    const next =
      step > 0 ? failures.find((at) => at > place) : failures.findLast((at) => at < place)
    const around = step > 0 ? failures[0] : failures.at(-1)
    const found = next ?? around
    if (found !== undefined) select(found, true)
  }
  const hit = (step: 1 | -1) => {
    if (hits === undefined || hits.size === 0) return
    const next = hits.next(place, step)
    select(next >= 0 ? next : hits.next(step > 0 ? -1 : outline.count, step))
  }
  const findField = useRef<HTMLInputElement>(null)
  const focusFind = () => {
    findField.current?.focus()
    findField.current?.select()
  }
  useActions([
    { name: 'Find in the thread', key: '/', run: focusFind },
    { name: 'Go to the next error', key: 'e', run: () => failure(1) },
    { name: 'Fold or unfold steps that are alike', key: 'f', run: toggleAlike },
    { name: 'Cut idle time, or show it', key: 'i', run: time.toggleCuts },
  ])
  useKeys({
    ArrowDown: () => move(1),
    j: () => move(1),
    ArrowUp: () => move(-1),
    k: () => move(-1),
    PageDown: inTree(() => move(page())),
    PageUp: inTree(() => move(-page())),
    End: inTree(() => move(rows.length)),
    Home: inTree(() => move(-rows.length)),
    ArrowRight: () => {
      const code = rows[selected] ?? 0
      if (isFold(code) || folding.closed.has(place)) toggle(selected)
      else if ((outline.size[place] ?? 1) > 1) select(place + 1)
    },
    ArrowLeft: () => {
      if ((outline.size[place] ?? 1) > 1 && !folding.closed.has(place)) toggle(selected)
      else if ((outline.parent[place] ?? -1) >= 0) select(outline.parent[place] ?? 0)
    },
    'Shift+ArrowRight': () => setAll(place, false),
    'Shift+ArrowLeft': () => setAll(place, true),
    n: () => sibling(1),
    p: () => sibling(-1),
    e: () => failure(1),
    E: () => failure(-1),
    f: toggleAlike,
    i: time.toggleCuts,
    z: () => {
      const from = outline.start[place] ?? Number.NaN
      const length = outline.duration[place] ?? Number.NaN
      if (!Number.isNaN(from + length))
        time.show({ from, to: from + Math.max(1, length) }, { replace: true })
    },
    '0': () => time.show(undefined, { replace: true }),
    '/': focusFind,
    // A second press there opens the browser's search.
    'Ctrl+f': () => (document.activeElement === findField.current ? false : focusFind()),
    '1': () => address.set({ view: 'chat' }, { replace: true }),
    '2': () => {
      address.set({ view: 'steps' }, { replace: true })
      scroller.current?.focus()
    },
    '3': () => address.set({ view: 'step' }, { replace: true }),
  })
  const head =
    place < 0
      ? undefined
      : {
          name: outline.name(place),
          type: outline.type(place),
          ms: outline.duration[place] ?? Number.NaN,
          failed: outline.hasFailed(place),
          state: outline.stateOf(place),
        }
  if (outline.count === 0)
    return (
      <div className="empty">
        <p>No step has arrived yet. Steps appear here as they arrive.</p>
      </div>
    )
  const isShown = (pane: PaneName) => (shownPane === pane ? ' is-shown' : '')
  return (
    <>
      <div className="tabs pane-tabs" role="tablist" aria-label="Panes">
        {(
          [
            ...(hasChat ? [['chat', 'Conversation'] as const] : []),
            ['steps', 'Steps'],
            ['step', 'Step'],
          ] as const
        ).map(([name, title]) => (
          <button
            type="button"
            key={name}
            role="tab"
            aria-selected={shownPane === name}
            onClick={() => address.set({ view: name }, { replace: true })}
          >
            {title}
          </button>
        ))}
      </div>
      <Notices texts={paneNotices(address)} />
      {asked !== undefined && place < 0 && !isBeginning && (
        <p className="notice">
          The step of this link is not in this thread: it was deleted, or it moved.{' '}
          <button
            type="button"
            className="button small"
            onClick={() => address.set({ step: null })}
          >
            Show the thread
          </button>
        </p>
      )}
      <div className={hasChat ? 'panes' : 'panes no-chat'} ref={panes}>
        {hasChat && (
          <>
            <section className={`pane chat-pane${isShown('chat')}`} aria-label="Conversation">
              <ErrorBoundary name="The conversation">
                <Chat
                  outline={outline}
                  judged={judged}
                  selected={place}
                  onSelect={selectEntry}
                  onOpen={openEntry}
                />
              </ErrorBoundary>
            </section>
            <Splitter
              name="Width of the conversation"
              variable="--chat-width"
              panes={panes}
              className="chat-splitter"
            />
          </>
        )}
        <section className={`pane${isShown('steps')}`} aria-label="Steps">
          <StepsBar
            findField={findField}
            hitCount={hits?.size}
            isSearching={isSearching}
            findProblem={findProblem}
            readCount={isBeginning ? outline.count : undefined}
            failureCount={failures.length}
            cuts={time.cuts}
            idleMs={time.idleMs}
            isZoomed={time.window !== undefined}
            onHit={hit}
            onFailure={() => failure(1)}
            onCuts={time.toggleCuts}
            onAll={() => time.show(undefined)}
          />
          <Minimap outline={outline} stretches={time.all} window={time.window} onZoom={zoom} />
          <ErrorBoundary name="The tree">
            <Tree
              outline={outline}
              rows={rows}
              selected={selected}
              closed={folding.closed}
              hits={hits}
              map={map}
              now={now}
              rowHeight={rowHeight}
              onSelect={selectRow}
              onToggle={toggle}
              onSlowest={openEntry}
              scroller={scroller}
              laneRef={lane}
            />
          </ErrorBoundary>
        </section>
        <Splitter
          name="Size of the step"
          variable={width >= 1600 ? '--inspector-width' : '--inspector-height'}
          panes={panes}
          isHorizontal={width < 1600}
          isFromEnd
        />
        <section className={`pane${isShown('step')}`} aria-label="Step">
          <ErrorBoundary name="The step" key={outline.ids[place]}>
            <Inspector
              id={outline.ids[place]}
              head={head}
              newestScore={judged.get(outline.ids[place] ?? '')}
            />
          </ErrorBoundary>
        </section>
      </div>
    </>
  )
}
