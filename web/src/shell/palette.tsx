import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { FindAnyDocument, ViewsDocument } from '../../generated/operations.js'
import { segment } from '../address/segment.js'
import { useOfferedActions } from '../browser/actions.js'
import { useProject, useSessions } from '../data/project.js'
import { read, useData } from '../data/use-data.js'
import { linkOfView } from '../filter/views.js'
import { line } from '../format/text.js'
import { threadTitle } from '../parts/thread-title.js'
import { DESTINATIONS } from './destinations.js'
import { projectLink } from './project-list.js'

interface Entry {
  /** Tells it from all others, wherever it stands. */
  id: string
  name: string
  kind: string
  go: () => unknown
}

/** Entries of one kind while nothing is typed, and in all. */
const MAX_RECENT = 4
const MAX_ENTRIES = 40

/** Finds pages, actions and threads by name, anything by id; or the actions of the page alone. */
export const Palette = ({
  only,
  onClose,
}: {
  only: 'palette' | 'actions'
  onClose: () => void
}) => {
  const isActions = only === 'actions'
  const [, navigate] = useLocation()
  const [text, setText] = useState('')
  const [found, setFound] = useState<Entry[]>([])
  const [problem, setProblem] = useState<string>()
  /** The id of the entry that the arrows have chosen; the first one is meant while there is none. */
  const [chosen, setChosen] = useState<string>()
  const dialog = useRef<HTMLDialogElement>(null)
  const offered = useOfferedActions()
  const sessions = useSessions()
  const project = useProject()
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal()
  }, [])
  useEffect(() => {
    if (isActions) return
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
                id: 'step',
                name: query,
                kind: 'step',
                go: () => navigate(`/steps/${segment(query)}`),
              },
            ]),
        ...(answer.threadDetail === null
          ? []
          : [
              {
                id: 'thread by id',
                name: line(answer.threadDetail.name) || query,
                kind: 'thread by id',
                go: () => navigate(`/threads/${segment(query)}`),
              },
            ]),
        ...answer.threads.edges.map(({ node }) => ({
          id: `thread ${node.id}`,
          name: threadTitle(node) || line(node.id),
          kind: 'thread',
          go: () => navigate(`/threads/${segment(node.id)}`),
        })),
      ])
    }, 150)
    return () => {
      isCancelled = true
      clearTimeout(timer)
    }
  }, [text, navigate, isActions])
  const typed = text.trim().toLowerCase()
  const fits = ({ name }: { name: string }) => name.toLowerCase().includes(typed)
  const pages: Entry[] = DESTINATIONS.flat()
    .filter(fits)
    .map(({ name, path }) => ({ id: `page ${path}`, name, kind: 'page', go: () => navigate(path) }))
  const known = useData(ViewsDocument, {}, { pause: isActions })
  const views: Entry[] = (known.data?.views ?? [])
    .filter(fits)
    .slice(0, typed === '' ? 0 : 6)
    .map((view) => ({
      id: `view ${view.id}`,
      name: view.name,
      kind: `view of ${view.subject.toLowerCase()}`,
      go: () => navigate(linkOfView(view)),
    }))
  const actions: Entry[] = offered.filter(fits).map(({ name, key, run }) => ({
    id: `action ${name}`,
    name,
    kind: key === undefined ? 'action' : key,
    go: run,
  }))
  const projects: Entry[] = sessions
    .filter(({ projectId }) => projectId !== project.id)
    .map(({ projectId, name }) => ({
      id: `project ${projectId}`,
      name: name ?? projectId,
      kind: 'project',
      go: () => window.location.assign(projectLink(projectId)),
    }))
    .filter(fits)
  const entries: Entry[] = isActions
    ? actions
    : [
        ...views,
        ...pages,
        ...(typed === '' ? found.slice(0, MAX_RECENT) : found),
        ...projects,
        ...actions,
      ].slice(0, MAX_ENTRIES)
  // Late answers put entries before the chosen one, which stays chosen.
  const active = Math.max(
    0,
    entries.findIndex(({ id }) => id === chosen),
  )
  useEffect(() => {
    document.getElementById(`palette-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [active])
  const label = isActions
    ? 'An action of this page'
    : 'A page, a view, a thread, an action, or any id'
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return
    onClose()
    // Once the dialog is gone, as nothing behind it can take the focus before.
    setTimeout(entry.go)
  }
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label={isActions ? 'Actions' : 'Find'}
      onClose={onClose}
    >
      <input
        autoFocus
        value={text}
        placeholder={label}
        aria-label={label}
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries.length === 0 ? undefined : `palette-${active}`}
        onChange={(event) => {
          setText(event.target.value)
          setFound([])
          setProblem(undefined)
          setChosen(undefined)
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setChosen((entries[active + 1] ?? entries[active])?.id)
          else if (event.key === 'ArrowUp') setChosen((entries[active - 1] ?? entries[0])?.id)
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
            key={entry.id}
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
            {entry.kind.length === 1 ? (
              <kbd>{entry.kind}</kbd>
            ) : (
              <span className="quiet">{entry.kind}</span>
            )}
          </div>
        ))}
        {isActions && entries.length === 0 && <p className="quiet">No action has this name.</p>}
      </div>
    </dialog>
  )
}
