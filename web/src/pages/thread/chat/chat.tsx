import { memo, useEffect, useMemo, useRef, useState } from 'react'
import { MessagesDocument, type MessagesQuery } from '../../../../generated/operations.js'
import { plainClient } from '../../../data/client.js'
import type { Problem } from '../../../data/problem.js'
import { type Failed, read } from '../../../data/use-data.js'
import { plural } from '../../../format/number.js'
import { line, visible } from '../../../format/text.js'
import { duration } from '../../../format/time.js'
import { Time } from '../../../table/cells.js'
import { Icon } from '../../../ui/icons.js'
import { ProblemView } from '../../../ui/problem-view.js'
import { FileView } from '../../../values/file-view.js'
import { Markdown } from '../../../values/markdown.js'
import { readable, textOf } from '../../../values/readable.js'
import type { Outline } from '../outline/outline.js'

type Said = NonNullable<MessagesQuery['stepsById'][number]>

/** Messages in the page at once; the ones before and after are a click away. */
const WINDOW = 200
const AT_ONCE = 50

interface Item {
  place: number
  /** What ran between this message and the next one. */
  work: { first: number; count: number; errors: number; ms: number }
}

/** The messages of a thread and, between them, how much work was behind each. */
const itemsOf = (outline: Outline): Item[] => {
  const items: Item[] = []
  let last: Item | undefined
  for (let place = 0; place < outline.count; place++) {
    if (outline.isMessage(place)) {
      last = { place, work: { first: -1, count: 0, errors: 0, ms: 0 } }
      items.push(last)
      continue
    }
    if (last === undefined) continue
    const { work } = last
    if (work.first < 0) work.first = place
    work.count++
    if (outline.hasFailed(place)) work.errors++
    const from = outline.start[work.first] ?? Number.NaN
    const end = (outline.start[place] ?? Number.NaN) + (outline.duration[place] || 0)
    if (!Number.isNaN(end - from)) work.ms = Math.max(work.ms, end - from)
  }
  return items
}

/** The thread as the conversation that it is. */
export const Chat = ({
  outline,
  selected,
  onSelect,
}: {
  outline: Outline
  selected: number
  onSelect: (place: number) => void
}) => {
  const items = useMemo(() => itemsOf(outline), [outline])
  const near = items.findLastIndex(({ place }) => place <= selected)
  const [from, setFrom] = useState(() => Math.max(0, Math.min(near - 10, items.length - WINDOW)))
  const shown = items.slice(from, from + WINDOW)
  const { said, problem, retry } = useSaid(outline, shown)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The message that a step selected elsewhere belongs to is brought into view, in this pane alone.
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
    // Only another choice moves it.
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
        <Entry
          key={outline.ids[place]}
          place={place}
          outline={outline}
          said={said.get(outline.ids[place] ?? '')}
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

const Entry = memo(
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

/** The contents of the messages that show, read some at a time. */
const useSaid = (outline: Outline, items: readonly Item[]) => {
  const [said, setSaid] = useState<ReadonlyMap<string, Said>>(new Map())
  const [problem, setProblem] = useState<Problem>()
  const [attempt, setAttempt] = useState(0)
  const known = useRef(new Set<string>())
  const first = items[0]?.place
  useEffect(() => {
    let isOld = false
    const load = async () => {
      const ids = items
        .map(({ place }) => outline.ids[place] ?? '')
        .filter((id) => !known.current.has(id))
      for (let at = 0; at < ids.length && !isOld; at += AT_ONCE) {
        const part = ids.slice(at, at + AT_ONCE)
        const answer = await read(MessagesDocument, { ids: part }, plainClient).catch(
          (error: Failed) => error,
        )
        if (answer instanceof Error) {
          if (!isOld) setProblem(answer.problem)
          return
        }
        // One without an end may still be written: it is read again when the outline is.
        for (const step of answer.stepsById)
          if (step !== null && step.output !== null) known.current.add(step.id)
        setSaid((all) => {
          const next = new Map(all)
          for (const step of answer.stepsById) if (step !== null) next.set(step.id, step)
          return next
        })
      }
    }
    void load()
    return () => {
      isOld = true
    }
  }, [outline, first, attempt])
  const retry = () => {
    setProblem(undefined)
    setAttempt((before) => before + 1)
  }
  return { said, problem, retry }
}
