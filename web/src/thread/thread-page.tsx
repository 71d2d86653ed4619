import './thread.css'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Link, Redirect, useLocation, useSearch } from 'wouter'
import {
  OutlineMatchesDocument,
  StepPlaceDocument,
  ThreadPageDocument,
  WebDeleteThreadDocument,
  WebUpdateThreadDocument,
} from '../../generated/operations.js'
import { useAddress } from '../address/use-address.js'
import { useSegment } from '../address/use-segment.js'
import { plainClient } from '../data/client.js'
import { read, useChange, useData } from '../data/use-data.js'
import { useOnce } from '../data/use-once.js'
import { useStable } from '../data/use-stable.js'
import { count, plural } from '../format/number.js'
import { line } from '../format/text.js'
import { duration } from '../format/time.js'
import { Boundary } from '../shell/boundary.js'
import { copyText } from '../shell/copy.js'
import { Dialog } from '../shell/dialog.js'
import { Icon } from '../shell/icons.js'
import { useKeys } from '../shell/keys.js'
import { ProblemView } from '../shell/problem-view.js'
import { useMayWrite } from '../shell/project.js'
import { Top } from '../shell/shell.js'
import { SureButton } from '../shell/sure-button.js'
import { useToast } from '../shell/toasts.js'
import { ErrorMark, Tags, Time } from '../table/cells.js'
import { useWidth } from '../table/use-width.js'
import { walkAt } from '../table/walk.js'
import { Chat } from './chat.js'
import { Inspector } from './inspector.js'
import { Minimap } from './minimap.js'
import {
  type Folding,
  isRun,
  type Outline,
  placeOfRow,
  reveal,
  rowOf,
  visibleRows,
} from './outline.js'
import { Splitter } from './splitter.js'
import { type Stretch, stretchesOf, TimeMap } from './time-map.js'
import { Tree, useElementWidth } from './tree.js'
import { useOutline } from './use-outline.js'

/** A thread: the conversation, the tree of its steps over time, and one step in full. */
export const ThreadPage = () => {
  const threadId = useSegment(1)
  const page = useData(ThreadPageDocument, { id: threadId })
  const thread = page.data?.threadDetail
  const { state, reload } = useOutline(threadId, undefined)
  const isGone = state.is === 'gone' || thread === null
  return (
    <div className="thread-page">
      <Top
        title={
          <div className="crumbs">
            <Link href="/threads" className="quiet only-wide">
              Threads
            </Link>
            <span className="quiet only-wide">/</span>
            <h1 className="clip">
              <bdi>
                {line(thread?.name ?? thread?.firstMessage) ||
                  (isGone ? 'No such thread' : 'Thread')}
              </bdi>
            </h1>
          </div>
        }
      >
        {thread != null && (
          <div className="thread-facts">
            {thread.participant !== null && (
              <Link href={`/users/${encodeURIComponent(thread.participant.id)}`}>
                <bdi>{line(thread.participant.identifier, 40)}</bdi>
              </Link>
            )}
            <span>{thread.environment}</span>
            <Time at={thread.createdAt} />
            <span>{duration(thread.duration === null ? null : thread.duration * 1000)}</span>
            <span>{plural(thread.stepCount, 'step')}</span>
            {thread.tokenCount !== null && <span>{count(thread.tokenCount)} tok</span>}
            <ErrorMark count={thread.errorCount} />
            <Tags tags={thread.tags} />
          </div>
        )}
        <Neighbours />
        {thread != null && (
          <ThreadMenu
            id={threadId}
            name={thread.name ?? ''}
            tags={thread.tags ?? []}
            onChanged={page.refresh}
          />
        )}
      </Top>
      {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
      {isGone ? (
        <div className="empty">
          <p>
            There is no thread with this id here: it was deleted, or it belongs to another project.
          </p>
          <Link href="/threads" className="button">
            All threads
          </Link>
        </div>
      ) : state.is === 'failed' ? (
        <ProblemView problem={state.problem} retry={reload} />
      ) : state.is === 'there' ? (
        <Panes key={threadId} outline={state.outline} threadId={threadId} />
      ) : (
        <div className="panes" />
      )}
    </div>
  )
}

/** A run that belongs to no thread: the same page without the conversation. */
export const RunPage = () => {
  const rootStepId = useSegment(1)
  const { state, reload } = useOutline(undefined, rootStepId)
  return (
    <div className="thread-page">
      <Top
        title={
          <div className="crumbs">
            <Link href="/steps" className="quiet">
              Steps
            </Link>
            <span className="quiet">/</span>
            <h1 className="clip">
              <bdi>{state.is === 'there' ? line(state.outline.name(0)) || 'Run' : 'Run'}</bdi>
            </h1>
          </div>
        }
      />
      {state.is === 'gone' ? (
        <div className="empty">
          <p>
            There is no run with this id here: it was deleted, or it belongs to another project.
          </p>
        </div>
      ) : state.is === 'failed' ? (
        <ProblemView problem={state.problem} retry={reload} />
      ) : state.is === 'there' ? (
        <Panes outline={state.outline} rootStepId={rootStepId} />
      ) : null}
    </div>
  )
}

/** A step by its id alone: leads to it in its thread, or in its run. */
export const StepLink = () => {
  const search = useSearch()
  const stepId = useSegment(1)
  const found = useData(StepPlaceDocument, { id: stepId })
  if (found.problem !== undefined)
    return <ProblemView problem={found.problem} retry={found.refresh} />
  if (found.data === undefined) return <Top title="Step" />
  const { step } = found.data
  if (step === null)
    return (
      <>
        <Top title="No such step" />
        <div className="empty">
          <p>
            There is no step with this id here: it was deleted, or it belongs to another project.
          </p>
        </div>
      </>
    )
  const rest = new URLSearchParams(search)
  rest.set('step', stepId)
  return (
    <Redirect
      to={
        step.threadId === null
          ? `/runs/${encodeURIComponent(step.rootRunId ?? stepId)}?${rest}`
          : `/threads/${encodeURIComponent(step.threadId)}?${rest}`
      }
      replace
    />
  )
}

/** `[` and `]` walk the list that one came from. */
const Neighbours = () => {
  const [path, navigate] = useLocation()
  const walk = walkAt(path)
  useKeys(
    {
      '[': () => walk?.previous !== undefined && navigate(walk.previous),
      ']': () => walk?.next !== undefined && navigate(walk.next),
      Escape: () => {
        if (walk !== undefined) navigate(walk.from, { replace: false })
      },
    },
    walk !== undefined,
  )
  if (walk === undefined) return null
  return (
    <div className="row only-wide" style={{ gap: 2 }}>
      <button
        type="button"
        className="button plain small"
        aria-label="The one before"
        title="["
        disabled={walk.previous === undefined}
        onClick={() => walk.previous !== undefined && navigate(walk.previous)}
      >
        <Icon name="left" />
      </button>
      <button
        type="button"
        className="button plain small"
        aria-label="The one after"
        title="]"
        disabled={walk.next === undefined}
        onClick={() => walk.next !== undefined && navigate(walk.next)}
      >
        <Icon name="right" />
      </button>
    </div>
  )
}

const ThreadMenu = ({
  id,
  name,
  tags,
  onChanged,
}: {
  id: string
  name: string
  tags: readonly string[]
  onChanged: () => void
}) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className="button plain"
        aria-label="More"
        onClick={() => setOpen(true)}
      >
        <Icon name="more" />
      </button>
      {isOpen && (
        <Dialog title="The thread" onClose={() => setOpen(false)}>
          <ThreadForm
            id={id}
            name={name}
            tags={tags}
            onDone={() => {
              onChanged()
              setOpen(false)
            }}
          />
        </Dialog>
      )}
    </>
  )
}

/** It begins with what the thread has when it is opened, and sends only what was changed. */
const ThreadForm = ({
  id,
  name,
  tags,
  onDone,
}: {
  id: string
  name: string
  tags: readonly string[]
  onDone: () => void
}) => {
  const [newName, setName] = useState(name)
  const before = tags.join(', ')
  const [newTags, setTags] = useState(before)
  const mayWrite = useMayWrite()
  const update = useChange(WebUpdateThreadDocument)
  const remove = useChange(WebDeleteThreadDocument)
  const say = useToast()
  const [, navigate] = useLocation()
  const save = useOnce(async () => {
    try {
      await update({
        id,
        ...(newName === name ? {} : { name: newName || null }),
        ...(newTags === before
          ? {}
          : {
              tags: newTags
                .split(',')
                .map((tag) => tag.trim())
                .filter((tag) => tag !== ''),
            }),
      })
      say('The thread is changed.')
      onDone()
    } catch (error) {
      say((error as Error).message)
    }
  })
  return (
    <form
      className="column"
      style={{ width: 'min(440px, 80vw)' }}
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <label className="labelled">
        Name
        <input
          className="field"
          value={newName}
          disabled={!mayWrite}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label className="labelled">
        Tags, separated by commas
        <input
          className="field"
          value={newTags}
          disabled={!mayWrite}
          onChange={(event) => setTags(event.target.value)}
        />
      </label>
      <div className="row wrap">
        {mayWrite && (
          <button type="submit" className="button primary">
            Save
          </button>
        )}
        <button
          type="button"
          className="button"
          onClick={async () => {
            const { threadDetail } = await read(ThreadPageDocument, { id }, plainClient)
            if (await copyText(JSON.stringify(threadDetail, null, 2))) say('Copied as JSON.')
          }}
        >
          Copy as JSON
        </button>
        <span className="grow" />
        {mayWrite && (
          <SureButton
            label="Delete…"
            sure="Delete it for good"
            onSure={async () => {
              await remove({ id })
              say('The thread is deleted.')
              navigate('/threads')
            }}
          />
        )}
      </div>
    </form>
  )
}

type PaneName = 'chat' | 'steps' | 'step'

const Panes = ({
  outline,
  threadId,
  rootStepId,
}: {
  outline: Outline
  threadId?: string
  rootStepId?: string
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
  const [folding, setFolding] = useState<Folding>({
    closed: new Set(),
    unfolded: new Set(),
    foldsAlike: address.get('fold') !== 'none',
  })
  const [asked, ask] = useSelection()
  const place =
    asked === undefined ? (failures[0] ?? (outline.count > 0 ? 0 : -1)) : outline.placeOf(asked)
  // Whatever the address names is shown, however it was folded.
  useEffect(() => {
    if (place >= 0) setFolding((current) => reveal(outline, place, current))
  }, [outline.ids[place]])
  // Folds are of places, which are other ones in the tree that was read anew.
  const before = useRef(outline)
  useEffect(() => {
    const old = before.current
    before.current = outline
    if (old === outline) return
    const moved = (places: ReadonlySet<number>) =>
      new Set([...places].map((at) => outline.placeOf(old.ids[at] ?? '')).filter((at) => at >= 0))
    setFolding((current) => ({
      ...current,
      closed: moved(current.closed),
      unfolded: moved(current.unfolded),
    }))
  }, [outline])
  const find = address.get('find') ?? ''
  const only = address.get('only')
  const hits = useHits(outline, find, only, threadId, rootStepId)
  const filtered = useMemo(() => {
    if (hits === undefined) return undefined
    const shown = new Set<number>()
    for (const hit of hits) {
      shown.add(hit)
      for (const above of outline.ancestors(hit)) shown.add(above)
    }
    return shown
  }, [hits, outline])
  const rows = useMemo(() => visibleRows(outline, folding, filtered), [outline, folding, filtered])
  const selected = rowOf(rows, place)
  const cuts = address.get('idle') !== 'shown'
  const window = useMemo(() => readWindow(address.get('t')), [address.get('t')])
  const now = Number.isNaN(outline.base) ? outline.span : Date.now() - outline.base
  const whole: Stretch = { from: 0, to: Math.max(outline.span, 1) }
  const all = useMemo(() => stretchesOf(busyTimes(outline), whole, cuts), [outline, cuts])
  const stretches = useMemo(
    () => (window === undefined ? all : stretchesOf(busyTimes(outline), window, cuts)),
    [window, all, outline, cuts],
  )
  const map = useMemo(() => new TimeMap(stretches, Math.max(40, laneWidth)), [stretches, laneWidth])
  const shownPane = (address.get('view') as PaneName | undefined) ?? (hasChat ? 'chat' : 'steps')
  const isNarrow = width < 1024
  const select = (next: number, isOpening = false) => {
    const id = outline.ids[next]
    if (id === undefined) return
    ask(id, isOpening, isOpening && isNarrow ? { view: 'step' } : {})
  }
  const selectMessage = useStable((at: number) => select(at, true))
  const selectRow = useStable((row: number) => {
    const code = rows[row]
    if (code !== undefined) select(placeOfRow(code), true)
  })
  const toggle = useStable((row: number) => {
    const code = rows[row]
    if (code === undefined) return
    const at = placeOfRow(code)
    // What is folded away is no longer chosen: what it is folded into is.
    if (!isRun(code) && place > at && place < at + (outline.size[at] ?? 1)) select(at)
    setFolding((current) => {
      if (isRun(code)) return { ...current, unfolded: new Set(current.unfolded).add(at) }
      const closed = new Set(current.closed)
      if (!closed.delete(at)) closed.add(at)
      return { ...current, closed }
    })
  })
  const move = (step: number) => {
    const code = rows[Math.max(0, Math.min(rows.length - 1, selected + step))]
    if (code !== undefined) select(placeOfRow(code))
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
  const hitList = useMemo(() => (hits === undefined ? [] : [...hits].sort((a, b) => a - b)), [hits])
  const hit = (step: 1 | -1) => {
    const next = step > 0 ? hitList.find((at) => at > place) : hitList.findLast((at) => at < place)
    const found = next ?? (step > 0 ? hitList[0] : hitList.at(-1))
    if (found !== undefined) select(found)
  }
  const findField = useRef<HTMLInputElement>(null)
  const focusFind = () => {
    findField.current?.focus()
    findField.current?.select()
  }
  const setAll = (isClosed: boolean) =>
    setFolding((current) => {
      const closed = new Set<number>()
      const end = place + (outline.size[place] ?? 1)
      if (isClosed)
        for (let at = Math.max(place, 0); at < end; at++)
          if ((outline.size[at] ?? 1) > 1) closed.add(at)
      return { ...current, closed }
    })
  useKeys({
    ArrowDown: () => move(1),
    j: () => move(1),
    ArrowUp: () => move(-1),
    k: () => move(-1),
    ArrowRight: () => {
      const code = rows[selected] ?? 0
      if (isRun(code) || folding.closed.has(place)) toggle(selected)
      else if ((outline.size[place] ?? 1) > 1) select(place + 1)
    },
    ArrowLeft: () => {
      if ((outline.size[place] ?? 1) > 1 && !folding.closed.has(place)) toggle(selected)
      else if ((outline.parent[place] ?? -1) >= 0) select(outline.parent[place] ?? 0)
    },
    'Shift+ArrowRight': () => setAll(false),
    'Shift+ArrowLeft': () => setAll(true),
    n: () => sibling(1),
    p: () => sibling(-1),
    e: () => failure(1),
    E: () => failure(-1),
    f: () => {
      address.set({ fold: folding.foldsAlike ? 'none' : null }, { replace: true })
      setFolding((current) => ({
        ...current,
        unfolded: new Set(),
        foldsAlike: !current.foldsAlike,
      }))
    },
    i: () => address.set({ idle: cuts ? 'shown' : null }, { replace: true }),
    z: () => {
      const start = outline.start[place] ?? Number.NaN
      const length = outline.duration[place] ?? Number.NaN
      if (!Number.isNaN(start + length))
        address.set({ t: `${start}-${start + Math.max(1, length)}` }, { replace: true })
    },
    '0': () => address.set({ t: null }, { replace: true }),
    '/': focusFind,
    // Pressed there again it is the browser's own.
    'Ctrl+f': () => (document.activeElement === findField.current ? false : focusFind()),
    '1': () => address.set({ view: 'chat' }, { replace: true }),
    '2': () => {
      address.set({ view: 'steps' }, { replace: true })
      scroller.current?.focus()
    },
    '3': () => address.set({ view: 'step' }, { replace: true }),
    c: () => copyText(globalThis.location.href),
  })
  const head =
    place < 0
      ? undefined
      : {
          name: outline.name(place),
          type: outline.type(place),
          ms: outline.duration[place] ?? Number.NaN,
          failed: outline.hasFailed(place),
        }
  if (outline.count === 0)
    return (
      <div className="empty">
        <p>No step has arrived yet. They show here as they do.</p>
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
      {asked !== undefined && place < 0 && (
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
              <Boundary name="The conversation">
                <Chat outline={outline} selected={place} onSelect={selectMessage} />
              </Boundary>
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
          <div className="steps-bar">
            <input
              ref={findField}
              className="field"
              type="search"
              placeholder="find in the thread"
              aria-label="Find in the thread"
              value={find}
              onChange={(event) => address.set({ find: event.target.value }, { replace: true })}
              onKeyDown={(event) => {
                if (event.key === 'Enter') hit(event.shiftKey ? -1 : 1)
                else if (event.key === 'Escape') {
                  address.set({ find: null }, { replace: true })
                  event.currentTarget.blur()
                }
              }}
            />
            {hits !== undefined && <span className="soft">{plural(hits.size, 'hit')}</span>}
            <select
              className="field"
              aria-label="Types"
              value={only ?? ''}
              onChange={(event) => address.set({ only: event.target.value })}
            >
              <option value="">types: all</option>
              <option value="errors">errors</option>
              <option value="llm">llm</option>
              <option value="tool">tool</option>
              <option value="run">run</option>
              <option value="retrieval">retrieval</option>
              <option value="messages">messages</option>
            </select>
            <button
              type="button"
              className="button"
              aria-pressed={cuts}
              title="i"
              onClick={() => address.set({ idle: cuts ? 'shown' : null }, { replace: true })}
            >
              cut idle
            </button>
            {failures.length > 0 && (
              <button type="button" className="button bad" title="e" onClick={() => failure(1)}>
                <Icon name="error" /> {plural(failures.length, 'error')}
              </button>
            )}
            {window !== undefined && (
              <button
                type="button"
                className="button"
                title="0"
                onClick={() => address.set({ t: null })}
              >
                all of it
              </button>
            )}
          </div>
          <Minimap
            outline={outline}
            stretches={all}
            window={window}
            onZoom={(next) =>
              address.set({
                t: next === undefined ? null : `${Math.round(next.from)}-${Math.round(next.to)}`,
              })
            }
          />
          <Boundary name="The tree">
            <Tree
              outline={outline}
              rows={rows}
              selected={selected}
              closed={folding.closed}
              hits={hits}
              map={map}
              now={now}
              rowHeight={width < 640 ? 44 : 24}
              onSelect={selectRow}
              onToggle={toggle}
              scroller={scroller}
              laneRef={lane}
            />
          </Boundary>
        </section>
        <Splitter
          name="Size of the step"
          variable={width >= 1600 ? '--inspector-width' : '--inspector-height'}
          panes={panes}
          isHorizontal={width < 1600}
          isFromEnd
        />
        <section className={`pane${isShown('step')}`} aria-label="Step">
          <Boundary name="The step" key={outline.ids[place]}>
            <Inspector id={outline.ids[place]} head={head} />
          </Boundary>
        </section>
      </div>
    </>
  )
}

const REST_MS = 200

/**
 * The step that is chosen. The address follows once keys rest, as browsers drop what changes it too often; what is opened
 * by a click is an entry of the history at once.
 */
const useSelection = () => {
  const address = useAddress()
  const said = address.get('step')
  const [chosen, setChosen] = useState(said)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    clearTimeout(timer.current)
    setChosen(said)
  }, [said])
  useEffect(() => () => clearTimeout(timer.current), [])
  const choose = (id: string, isOpening: boolean, more: Record<string, string>) => {
    setChosen(id)
    clearTimeout(timer.current)
    if (isOpening) address.set({ step: id, ...more })
    else timer.current = setTimeout(() => address.set({ step: id }, { replace: true }), REST_MS)
  }
  return [chosen, choose] as const
}

/** `from-to` in milliseconds since the first step. */
const readWindow = (text: string | undefined): Stretch | undefined => {
  const match = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? '')
  if (match === null) return undefined
  const [from, to] = [Number(match[1]), Number(match[2])]
  return to > from ? { from, to } : undefined
}

/** When the roots ran: between them a person thinks. Inside of one, nothing is cut. */
function* busyTimes(outline: Outline): Generator<readonly [number, number]> {
  for (let place = 0; place < outline.count; place += outline.size[place] ?? 1) {
    const start = outline.start[place] ?? Number.NaN
    if (Number.isNaN(start)) continue
    let end = start + (outline.duration[place] || 0)
    for (let below = place; below < place + (outline.size[place] ?? 1); below++) {
      const until = (outline.start[below] ?? Number.NaN) + (outline.duration[below] || 0)
      if (until > end) end = until
    }
    yield [start, end]
  }
}

const FIND_MS = 200
const SHORTEST_CONTENT = 3

/** The steps that are looked for: by name and type from what is here, by content from the service. */
const useHits = (
  outline: Outline,
  find: string,
  only: string | undefined,
  threadId: string | undefined,
  rootStepId: string | undefined,
): ReadonlySet<number> | undefined => {
  const text = find.trim().toLowerCase()
  const [inContent, setInContent] = useState<{ text: string; ids: readonly string[] }>()
  useEffect(() => {
    if (text.length < SHORTEST_CONTENT) return
    let isOld = false
    const timer = setTimeout(async () => {
      const subject = threadId === undefined ? { rootStepId } : { threadId }
      const answer = await read(
        OutlineMatchesDocument,
        { ...(subject as { threadId: string }), text },
        plainClient,
      ).catch(() => null)
      if (!isOld && answer?.outline != null) setInContent({ text, ids: answer.outline.matches })
    }, FIND_MS)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [text, threadId, rootStepId])
  return useMemo(() => {
    if (text === '' && only === undefined) return undefined
    const hits = new Set<number>()
    const named = outline.names.map((name) => text !== '' && name.toLowerCase().includes(text))
    const content = new Set(inContent?.text === text ? inContent.ids : [])
    for (let place = 0; place < outline.count; place++) {
      const isFound =
        text === '' ||
        named[outline.nameOf[place] ?? -1] === true ||
        content.has(outline.ids[place] ?? '')
      if (isFound && isOnly(outline, place, only)) hits.add(place)
    }
    return hits
  }, [outline, text, only, inContent])
}

const isOnly = (outline: Outline, place: number, only: string | undefined): boolean => {
  if (only === undefined) return true
  if (only === 'errors') return outline.hasFailed(place)
  if (only === 'messages') return outline.isMessage(place)
  const type = outline.type(place)
  return type === only || (only === 'retrieval' && (type === 'embedding' || type === 'rerank'))
}
