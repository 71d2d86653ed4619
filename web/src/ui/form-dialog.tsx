import { type ReactNode, useState } from 'react'
import { useIsThere } from '../browser/use-is-there.js'
import { useSingleFlight } from '../browser/use-single-flight.js'
import { Dialog } from './dialog.js'
import { FailureNote } from './failure.js'

/** A dialog with a form. Shows failures inside, and keeps the input. */
export const FormDialog = ({
  title,
  send,
  onSend,
  onClose,
  children,
}: {
  title: string
  /** The label of its button. */
  send: string
  /** `isOpen` tells whether the dialog is still there: a page that was left opens no other one. */
  onSend: (isOpen: () => boolean) => Promise<unknown>
  onClose: () => void
  children: ReactNode
}) => {
  const [problem, setProblem] = useState<Error>()
  const isOpen = useIsThere()
  const attempt = useSingleFlight(async () => {
    try {
      await onSend(isOpen)
    } catch (error) {
      setProblem(error as Error)
    }
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="column"
        style={{ width: 'min(440px, 80vw)' }}
        onSubmit={(event) => {
          event.preventDefault()
          void attempt()
        }}
        onKeyDown={(event) => {
          // Browsers differ about Enter here; Space opens the options in all of them.
          if (event.key !== 'Enter' || event.repeat || !(event.target instanceof HTMLSelectElement))
            return
          event.preventDefault()
          event.currentTarget.requestSubmit()
        }}
      >
        {children}
        <FailureNote error={problem} />
        <div className="row">
          <button type="submit" className="button primary">
            {send}
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
