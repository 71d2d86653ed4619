import { useState } from 'react'
import { useLocation } from 'wouter'
import {
  ThreadPageDocument,
  WebDeleteThreadDocument,
  WebUpdateThreadDocument,
} from '../../../generated/operations.js'
import { useActions } from '../../browser/actions.js'
import { plainClient } from '../../data/client.js'
import { useMayWrite } from '../../data/project.js'
import { read, useChange } from '../../data/use-data.js'
import { ConfirmButton } from '../../ui/confirm-button.js'
import { Dialog } from '../../ui/dialog.js'
import { Field } from '../../ui/field.js'
import { Form, SendButton } from '../../ui/forms/form.js'
import { useOwnChanges } from '../../ui/forms/own-changes.js'
import { Icon } from '../../ui/icons.js'
import { useToast } from '../../ui/toasts.js'
import { useCopy } from '../../ui/use-copy.js'
import { ChooseOther } from './beside/choose-other.js'
import { readTags, showTags } from './tag-list.js'

/** Renames, tags, copies or deletes a thread. */
export const ThreadMenu = ({
  id,
  thread,
  onChanged,
}: {
  id: string
  /** Undefined until it is read. */
  thread: { name: string | null; tags: readonly string[] | null } | null | undefined
  onChanged: () => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const [isComparing, setComparing] = useState(false)
  const copy = useCopyThread(id)
  useActions([
    thread != null && { name: 'Rename, tag or delete the thread…', run: () => setOpen(true) },
    thread != null && { name: 'Compare with another thread…', run: () => setComparing(true) },
    thread != null && { name: 'Copy the thread as JSON', run: copy },
  ])
  return (
    <>
      <button
        type="button"
        className="button plain"
        aria-label="More"
        disabled={thread == null}
        onClick={() => setOpen(true)}
      >
        <Icon name="more" />
      </button>
      {isOpen && thread != null && (
        <Dialog title="The thread" onClose={() => setOpen(false)}>
          <ThreadForm
            id={id}
            name={thread.name ?? ''}
            tags={thread.tags ?? []}
            onChanged={onChanged}
            onClose={() => setOpen(false)}
            onCompare={() => {
              setOpen(false)
              setComparing(true)
            }}
          />
        </Dialog>
      )}
      {isComparing && <ChooseOther id={id} onClose={() => setComparing(false)} />}
    </>
  )
}

const useCopyThread = (id: string) => {
  const showToast = useToast()
  const copy = useCopy()
  return async () => {
    try {
      const { threadDetail } = await read(ThreadPageDocument, { id }, plainClient)
      await copy(JSON.stringify(threadDetail, null, 2), 'Copied as JSON.')
    } catch (error) {
      showToast(error as Error)
    }
  }
}

const TITLES = { name: 'Name', tags: 'Tags' } as const

/** Begins with the values of the thread, which may go on meanwhile, and sends changed ones alone. */
const ThreadForm = ({
  id,
  name,
  tags,
  onChanged,
  onClose,
  onCompare,
}: {
  id: string
  name: string
  tags: readonly string[]
  onChanged: () => void
  onClose: () => void
  onCompare: () => void
}) => {
  const [newName, setName] = useState(name)
  const [newTags, setTags] = useState(showTags(tags))
  const own = useOwnChanges({ name, tags: showTags(tags) }, TITLES)
  const mayWrite = useMayWrite()
  const update = useChange(WebUpdateThreadDocument)
  const remove = useChange(WebDeleteThreadDocument)
  const showToast = useToast()
  const [, navigate] = useLocation()
  const copy = useCopyThread(id)
  const save = async (isThere: () => boolean) => {
    const { threadDetail: stored } = await read(ThreadPageDocument, { id })
    const changes = own.changes(
      { name: newName, tags: newTags },
      stored == null ? undefined : { name: stored.name ?? '', tags: showTags(stored.tags ?? []) },
    )
    await update({
      id,
      ...('name' in changes ? { name: newName || null } : {}),
      ...('tags' in changes ? { tags: readTags(newTags) } : {}),
    })
    showToast('The thread is changed.')
    onChanged()
    if (isThere()) onClose()
  }
  return (
    <Form
      className="column"
      style={{ width: 'min(440px, 80vw)' }}
      onSend={save}
      buttons={
        <div className="row wrap">
          {mayWrite && <SendButton label="Save" />}
          <button type="button" className="button" onClick={onCompare}>
            Compare with…
          </button>
          <button type="button" className="button" onClick={copy}>
            Copy as JSON
          </button>
          <span className="grow" />
          {mayWrite && (
            <ConfirmButton
              label="Delete…"
              confirmLabel="Delete it for good"
              onConfirm={async (isThere) => {
                await remove({ id })
                showToast('The thread is deleted.')
                if (isThere()) navigate('/threads')
              }}
            />
          )}
        </div>
      }
    >
      <Field name="name" label="Name">
        {(control) => (
          <input
            {...control}
            value={newName}
            disabled={!mayWrite}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field name="tags" label={'Tags, separated by commas; one with a comma in "quotes"'}>
        {(control) => (
          <input
            {...control}
            value={newTags}
            disabled={!mayWrite}
            onChange={(event) => setTags(event.target.value)}
          />
        )}
      </Field>
    </Form>
  )
}
