import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { FindAnyDocument, ViewsDocument } from '../../generated/operations.js'
import { segment } from '../address/segment.js'
import { read, useData } from '../data/use-data.js'
import { linkOfView } from '../filter/views.js'
import { line } from '../format/text.js'
import { DESTINATIONS } from './destinations.js'

interface Entry {
  name: string
  kind: string
  go: () => void
}

/** Finds pages and threads by name, anything by id. */
export const Palette = ({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) => {
  const [, navigate] = useLocation()
  const [text, setText] = useState('')
  const [found, setFound] = useState<Entry[]>([])
  const [problem, setProblem] = useState<string>()
  const [active, setActive] = useState(0)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal()
  }, [])
  useEffect(() => {
    let isCancelled = false
    const timer = setTimeout(async () => {
      const query = text.trim()
      const named = query === '' ? [] : [{ field: 'name', operator: 'ilike', value: query }]
      const answer = await read(FindAnyDocument, { id: query, filters: named }).catch(
        (error: Error) => error,
      )
      if (isCancelled) return
      if (answer instanceof Error) return setProblem(answer.message)
      setFound([
        ...(answer.step === null
          ? []
          : [
              {
                name: query,
                kind: 'step',
                go: () => navigate(`/steps/${segment(query)}`),
              },
            ]),
        ...(answer.threadDetail === null
          ? []
          : [
              {
                name: line(answer.threadDetail.name) || query,
                kind: 'thread by id',
                go: () => navigate(`/threads/${segment(query)}`),
              },
            ]),
        ...answer.threads.edges.map(({ node }) => ({
          name: line(node.name ?? node.firstMessage) || node.id,
          kind: 'thread',
          go: () => navigate(`/threads/${segment(node.id)}`),
        })),
      ])
    }, 150)
    return () => {
      isCancelled = true
      clearTimeout(timer)
    }
  }, [text, navigate])
  const pages: Entry[] = DESTINATIONS.flat()
    .filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
    .map(({ name, path }) => ({ name, kind: 'page', go: () => navigate(path) }))
  const known = useData(ViewsDocument, {})
  const views: Entry[] = (known.data?.views ?? [])
    .filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
    .slice(0, text.trim() === '' ? 0 : 6)
    .map((view) => ({
      name: view.name,
      kind: `view of ${view.subject.toLowerCase()}`,
      go: () => navigate(linkOfView(view)),
    }))
  const entries: Entry[] = [
    ...views,
    ...pages,
    ...found,
    ...('keys help'.includes(text.trim().toLowerCase())
      ? [{ name: 'Keys', kind: 'help', go: onHelp }]
      : []),
  ].slice(0, 14)
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return
    onClose()
    entry.go()
  }
  return (
    <dialog ref={dialog} className="palette" aria-label="Find" onClose={onClose}>
      <input
        autoFocus
        value={text}
        placeholder="A page, a view, a thread, or any id"
        aria-label="A page, a view, a thread, or any id"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${active}`}
        onChange={(event) => {
          setText(event.target.value)
          setFound([])
          setProblem(undefined)
          setActive(0)
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setActive(Math.min(active + 1, entries.length - 1))
          else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0))
          else if (event.key === 'Enter') choose(entries[active])
          else return
          event.preventDefault()
        }}
      />
      {problem !== undefined && (
        <p className="problem" role="alert">
          Only pages were searched: {problem}
        </p>
      )}
      <div role="listbox" id="palette-list" aria-label="Found">
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles keys
          <div
            key={`${entry.kind} ${entry.name}`}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            className="entry"
            aria-selected={index === active}
            onClick={() => choose(entry)}
          >
            <span className="clip">
              <bdi>{entry.name}</bdi>
            </span>
            <span className="quiet">{entry.kind}</span>
          </div>
        ))}
      </div>
    </dialog>
  )
}
