import type { ReactNode } from 'react'
import { Dialog } from '../dialog.js'
import { Form, LeaveButton, SendButton } from './form.js'

/**
 * A dialog with a form. Shows failures inside, and keeps the input. Closes when it is stored, unless it was closed before:
 * another one may be open by then.
 */
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
}) => (
  <Dialog title={title} onClose={onClose}>
    <Form
      className="column"
      style={{ width: 'min(440px, 80vw)' }}
      onSend={async (isOpen) => {
        await onSend(isOpen)
        if (isOpen()) onClose()
      }}
      onKeyDown={(event) => {
        // Browsers differ about Enter here; Space opens the options in all of them.
        if (event.key !== 'Enter' || event.repeat || !(event.target instanceof HTMLSelectElement))
          return
        event.preventDefault()
        event.currentTarget.requestSubmit()
      }}
      buttons={
        <div className="row wrap">
          <SendButton label={send} />
          <LeaveButton onLeave={onClose} />
        </div>
      }
    >
      {children}
    </Form>
  </Dialog>
)
