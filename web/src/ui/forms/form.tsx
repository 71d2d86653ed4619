import {
  type ComponentProps,
  createContext,
  type ReactNode,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useIsThere } from '../../browser/use-is-there.js'
import { useSingleFlight } from '../../browser/use-single-flight.js'
import { FailureNote } from '../failure.js'
import { useToast } from '../toasts.js'

const SendingContext = createContext(false)

/** Returns true inside of a form that is being sent, for fields that are no controls of the browser. */
export const useIsSending = (): boolean => useContext(SendingContext)

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & {
  /** `isThere` tells whether the form is still in the page. An error that it throws is shown above the buttons. */
  onSend: (isThere: () => boolean) => Promise<unknown>
  /** The buttons below the fields; they can be pressed while the form is sent. */
  buttons: ReactNode
}

/**
 * A form that keeps its input until it is stored: the fields are disabled while they are sent, as what is typed then
 * would be lost, and a failure is shown, as a toast if the form is gone by then.
 */
export const Form = ({ onSend, buttons, children, ...attributes }: FormProps) => {
  const [isSending, setSending] = useState(false)
  const [failure, setFailure] = useState<Error>()
  const form = useRef<HTMLFormElement>(null)
  const focused = useRef<Element>(null)
  const isThere = useIsThere()
  const showToast = useToast()
  const send = useSingleFlight(async () => {
    focused.current = document.activeElement
    setFailure(undefined)
    setSending(true)
    try {
      await onSend(isThere)
    } catch (error) {
      if (isThere()) setFailure(error as Error)
      else showToast(error as Error)
    } finally {
      setSending(false)
    }
  })
  useLayoutEffect(() => {
    const field = focused.current
    // A browser takes the focus from a disabled field, in which the typing goes on after a failure.
    if (isSending || !(field instanceof HTMLElement) || !form.current?.contains(field)) return
    if (!form.current.contains(document.activeElement)) field.focus()
  }, [isSending])
  return (
    <form
      {...attributes}
      ref={form}
      aria-busy={isSending}
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <fieldset className="fields" disabled={isSending}>
        <SendingContext value={isSending}>{children}</SendingContext>
      </fieldset>
      <FailureNote error={failure} />
      {buttons}
    </form>
  )
}

/** The button that sends a form. Reads “Saving…” once that takes longer than a moment, in the same width. */
export const SendButton = ({
  label,
  isDisabled = false,
  className = 'primary',
}: {
  label: string
  isDisabled?: boolean
  className?: string
}) => (
  <button type="submit" className={`button ${className}`} disabled={isDisabled}>
    <Labels idle={label} sending="Saving…" />
  </button>
)

/** The button that leaves a form. Reads “Close” once the form is sent, as it takes nothing back. */
export const LeaveButton = ({
  onLeave,
  className = '',
}: {
  onLeave: () => void
  className?: string
}) => (
  <button type="button" className={`button ${className}`} onClick={onLeave}>
    <Labels idle="Cancel" sending="Close" />
  </button>
)

/** Two labels in one place, of which the style sheet shows one, so that the button keeps its width. */
const Labels = ({ idle, sending }: { idle: string; sending: string }) => (
  <span className="send-labels">
    <span>{idle}</span>
    <span>{sending}</span>
  </span>
)
