import { useState } from 'react'
import { type ThreadTableQuery, WebDeleteThreadDocument } from '../../../generated/operations.js'
import { useMayWrite } from '../../data/project.js'
import { useChange } from '../../data/use-data.js'
import { plural } from '../../format/number.js'
import { ListPage } from '../../list/list-page.js'
import { EmptyHint } from '../../parts/empty-hint.js'
import { Dialog } from '../../ui/dialog.js'
import { useToast } from '../../ui/toasts.js'
import { THREAD_LIST, type ThreadRow } from './thread-list.js'

export const ThreadsPage = () => {
  const mayWrite = useMayWrite()
  return (
    <ListPage<ThreadTableQuery, ThreadRow>
      {...THREAD_LIST}
      empty={<EmptyHint what="threads" />}
      actions={
        mayWrite ? (chosen, done) => <DeleteThreads threads={chosen} onDone={done} /> : undefined
      }
    />
  )
}

const DeleteThreads = ({
  threads,
  onDone,
}: {
  threads: readonly ThreadRow[]
  onDone: () => void
}) => {
  const [isAsked, setAsked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const remove = useChange(WebDeleteThreadDocument)
  const showToast = useToast()
  return (
    <>
      <button type="button" className="button danger" onClick={() => setAsked(true)}>
        Delete…
      </button>
      {isAsked && (
        <Dialog
          title={`Delete ${plural(threads.length, 'thread')}?`}
          onClose={() => setAsked(false)}
        >
          <p>
            Their steps, scores and files go with them. Copies in datasets stay. This can't be
            undone.
          </p>
          <div className="row" style={{ marginTop: 12 }}>
            <button
              type="button"
              className="button danger"
              disabled={isBusy}
              onClick={async () => {
                setBusy(true)
                let done = 0
                try {
                  for (const { id } of threads) {
                    await remove({ id })
                    done++
                  }
                } catch (error) {
                  showToast(`${(error as Error).message} ${threads.length - done} are left.`)
                }
                showToast(`${plural(done, 'thread')} deleted.`)
                setAsked(false)
                onDone()
              }}
            >
              Delete
            </button>
            <button type="button" className="button" onClick={() => setAsked(false)}>
              Keep
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
