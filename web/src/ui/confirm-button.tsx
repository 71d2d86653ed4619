import { useRef, useState } from 'react'
import { useFocusBesideRow } from '../browser/kept-focus.js'
import { useIsThere } from '../browser/use-is-there.js'
import { useSingleFlight } from '../browser/use-single-flight.js'
import { useToast } from './toasts.js'

/**
 * A button for actions that cannot be undone: asks for a second, separate press. The other click of a double click and
 * the repetitions of a held key decide nothing; once the focus has left it, it asks anew. Shows failures as a toast.
 * The focus moves to the row beside when the row of the button is gone.
 */
export const ConfirmButton = ({
  label,
  confirmLabel,
  onConfirm,
  className = '',
}: {
  label: string
  confirmLabel: string
  /** `isThere` tells whether the button is still in the page, as it may be left meanwhile. */
  onConfirm: (isThere: () => boolean) => Promise<unknown>
  className?: string
}) => {
  const [isAsked, setAsked] = useState(false)
  const showToast = useToast()
  const isThere = useIsThere()
  const element = useRef<HTMLButtonElement>(null)
  useFocusBesideRow(element)
  const act = useSingleFlight(async () => {
    if (!isAsked) return setAsked(true)
    try {
      await onConfirm(isThere)
    } catch (error) {
      showToast(error as Error)
    } finally {
      setAsked(false)
    }
  })
  return (
    <button
      ref={element}
      type="button"
      className={`button danger ${className}`}
      onClick={(event) => {
        if (event.detail > 1) return
        // Safari leaves the focus where it was, and it would never leave the button.
        event.currentTarget.focus()
        void act()
      }}
      onKeyDown={(event) => {
        if (event.repeat && event.key === 'Enter') event.preventDefault()
      }}
      onBlur={() => setAsked(false)}
    >
      {isAsked ? confirmLabel : label}
    </button>
  )
}
