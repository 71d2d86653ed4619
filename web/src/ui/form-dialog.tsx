import { type ReactNode, useState } from 'react'
import { useSingleFlight } from '../browser/use-single-flight.js'
import { Dialog } from './dialog.js'

/** A dialog that is filled in and sent. What fails is said in it, with all that was filled in still there. */
export const FormDialog = ({
  title,
  send,
  onSend,
  onClose,
  children,
}: {
  title: string
  /** What its button says. */
  send: string
  onSend: () => Promise<unknown>
  onClose: () => void
  children: ReactNode
}) => {
  const [problem, setProblem] = useState<string>()
  const attempt = useSingleFlight(async () => {
    try {
      await onSend()
    } catch (error) {
      setProblem((error as Error).message)
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
          // Browsers differ in what Enter does here; in all of them Space opens the choices.
          if (event.key !== 'Enter' || event.repeat || !(event.target instanceof HTMLSelectElement))
            return
          event.preventDefault()
          event.currentTarget.requestSubmit()
        }}
      >
        {children}
        {problem !== undefined && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
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
