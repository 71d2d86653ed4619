import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import {
  DeleteViewDocument,
  ViewsDocument,
  WebCreateViewDocument,
  WebUpdateViewDocument,
} from '../../generated/operations.js'
import { useAddress } from '../address/use-address.js'
import { useActions } from '../browser/actions.js'
import { useMayWrite } from '../data/project.js'
import { read, useChange, useData } from '../data/use-data.js'
import {
  isBare,
  isChanged,
  keptBy,
  linkOfAlert,
  parametersOf,
  type View,
  viewedAt,
} from '../filter/views.js'
import { ConfirmButton } from '../ui/confirm-button.js'
import { Dialog } from '../ui/dialog.js'
import { ownChanges } from '../ui/forms/own-changes.js'
import { useToast } from '../ui/toasts.js'
import { START } from './list-foot.js'
import { SaveView } from './save-view.js'

/** The parts of a view, as people know them. */
const TITLES = {
  query: 'Filter',
  range: 'Range',
  environment: 'Environment',
  columns: 'Columns',
  order: 'Order',
} as const

/** Shows the views of a list, opens the default one, and saves what the address shows. */
export const ViewsButton = ({ subject }: { subject: View['subject'] }) => {
  const address = useAddress()
  const mayWrite = useMayWrite()
  const showToast = useToast()
  const [isOpen, setOpen] = useState(false)
  const [naming, setNaming] = useState<View | 'new'>()
  const answer = useData(ViewsDocument, {})
  const views = answer.data?.views.filter((view) => view.subject === subject) ?? []
  const current = views.find(({ id }) => id === address.get('view'))
  const change = useChange(WebUpdateViewDocument)
  const create = useChange(WebCreateViewDocument)
  const remove = useChange(DeleteViewDocument)
  const isKnown = answer.data !== undefined
  // Once, as the list opens: one who clears the filter wants all rows.
  const [wasBare] = useState(() => isBare(address.get))
  useEffect(() => {
    const view = views.find(({ isDefault }) => isDefault)
    if (wasBare && isBare(address.get) && view !== undefined)
      address.set({ ...START, ...parametersOf(view) }, { replace: true })
  }, [isKnown])
  const act = async (work: () => Promise<unknown>, told: string) => {
    try {
      await work()
      showToast(told)
    } catch (error) {
      showToast(error as Error)
    } finally {
      // When it failed, too: the view may be gone by then.
      answer.refresh()
    }
  }
  /** The view as it was stored when somebody last tried to save it. */
  const told = useRef<string>(undefined)
  const save = async (view: View) => {
    const { views: now } = await read(ViewsDocument, {})
    const stored = keptBy(now.find(({ id }) => id === view.id) ?? view)
    // Another press replaces what the first one told of, also before the list of views is read again.
    const isTold = told.current === JSON.stringify(stored)
    told.current = JSON.stringify(stored)
    const begun = isTold ? stored : keptBy(view)
    const { order, ...changes } = ownChanges(begun, keptBy(viewedAt(address.get)), stored, TITLES)
    await change({ id: view.id, ...changes, ...order })
  }
  useActions([
    { name: 'Views of this list…', run: () => setOpen(true) },
    mayWrite && { name: 'Save this view…', run: () => setNaming('new') },
  ])
  const isOther = current !== undefined && isChanged(current, address.get)
  return (
    <>
      <button type="button" className="button plain" onClick={() => setOpen(true)}>
        {current === undefined ? 'views' : `view: ${current.name}${isOther ? ' *' : ''}`}
      </button>
      {isOpen && (
        <Dialog title="Views" onClose={() => setOpen(false)}>
          {views.length === 0 && <p className="quiet">No filter of this list has a name yet.</p>}
          <ul className="column-list views">
            {views.map((view) => (
              <li key={view.id} className="row">
                <button
                  type="button"
                  className="button plain grow clip"
                  title={view.query}
                  aria-current={view.id === current?.id}
                  onClick={() => {
                    address.set({ ...START, ...parametersOf(view) })
                    setOpen(false)
                  }}
                >
                  <bdi>{view.name}</bdi>
                </button>
                {mayWrite ? (
                  <>
                    <button
                      type="button"
                      className="button small"
                      aria-pressed={view.isDefault}
                      onClick={() =>
                        act(
                          () => change({ id: view.id, isDefault: !view.isDefault }),
                          view.isDefault
                            ? 'The list opens with all rows.'
                            : `The list opens with ${view.name}.`,
                        )
                      }
                    >
                      default
                    </button>
                    <AlertLink className="small" label="Alert" to={linkOfAlert(subject, view)} />
                    <button type="button" className="button small" onClick={() => setNaming(view)}>
                      Rename
                    </button>
                    <ConfirmButton
                      label="Delete"
                      confirmLabel="Delete for all?"
                      className="small"
                      onConfirm={async () => {
                        await remove({ id: view.id })
                        answer.refresh()
                      }}
                    />
                  </>
                ) : (
                  view.isDefault && <span className="quiet">default</span>
                )}
              </li>
            ))}
          </ul>
          {mayWrite && (
            <div className="row wrap">
              {isOther && (
                <button
                  type="button"
                  className="button primary"
                  onClick={() => act(() => save(current), `${current.name} is saved.`)}
                >
                  Save <bdi>{current.name}</bdi>
                </button>
              )}
              <button type="button" className="button" onClick={() => setNaming('new')}>
                Save as…
              </button>
              <AlertLink
                label="Alert on this list…"
                to={linkOfAlert(subject, { name: '', ...viewedAt(address.get) })}
              />
            </div>
          )}
        </Dialog>
      )}
      {naming !== undefined && (
        <SaveView
          name={naming === 'new' ? '' : naming.name}
          onClose={() => setNaming(undefined)}
          onSave={async (name) => {
            if (naming === 'new') {
              const { createView } = await create({ subject, name, ...viewedAt(address.get) })
              address.set({ view: createView.id }, { replace: true })
            } else await change({ id: naming.id, name })
            answer.refresh()
            showToast(`${name} is saved.`)
          }}
        />
      )}
    </>
  )
}

const AlertLink = ({
  label,
  to,
  className = '',
}: {
  label: string
  to: string | undefined
  className?: string
}) =>
  to === undefined ? null : (
    <Link href={to} className={`button ${className}`}>
      {label}
    </Link>
  )
