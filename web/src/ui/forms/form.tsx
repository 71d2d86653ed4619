import { type ComponentProps, createContext, type ReactNode, useContext, useState } from 'react'
import { useIsThere } from '../../browser/use-is-there.js'
import { FieldFailures } from './field-failures.js'
import { useSending } from './use-sending.js'

const SendingContext = createContext(false)

/** Returns true inside of a form that is being sent, for fields that are no controls of the browser. */
export const useIsSending = (): boolean => useContext(SendingContext)

/** Fields that are disabled together while they are sent. */
export const Fields = ({
  isSending,
  isDisabled = false,
  children,
}: {
  isSending: boolean
  isDisabled?: boolean
  children: ReactNode
}) => (
  <fieldset className="fields" disabled={isSending || isDisabled}>
    <SendingContext value={isSending}>{children}</SendingContext>
  </fieldset>
)

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & {
  /** `isThere` tells whether the form is still in the page. An error that it throws is shown at its field, or above the buttons. */
  onSend: (isThere: () => boolean) => Promise<unknown>
  /** The buttons below the fields; they can be pressed while the form is sent. */
  buttons: ReactNode
}

/**
 * A form that keeps its input until it is stored: the fields are disabled while they are sent, as what is typed then
 * would be lost, and a failure is shown, as a toast if the form is gone by then.
 */
export const Form = ({ onSend, buttons, children, ...attributes }: FormProps) => {
  const [failure, setFailure] = useState<Error>()
  const isThere = useIsThere()
  const { isSending, send, within } = useSending(() => {
    setFailure(undefined)
    return onSend(isThere)
  }, setFailure)
  return (
    <form
      {...attributes}
      ref={within}
      aria-busy={isSending}
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <FieldFailures error={failure}>
        <Fields isSending={isSending}>{children}</Fields>
      </FieldFailures>
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
