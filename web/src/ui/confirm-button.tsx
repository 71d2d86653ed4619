import { useState } from 'react'
import { useIsThere } from '../browser/use-is-there.js'
import { useSingleFlight } from '../browser/use-single-flight.js'
import { useToast } from './toasts.js'

/** A button for actions that cannot be undone: asks for a second press. Shows failures as a toast. */
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
  const act = useSingleFlight(async () => {
    if (!isAsked) return setAsked(true)
    try {
      await onConfirm(isThere)
    } catch (error) {
      showToast((error as Error).message)
    }
  })
  return (
    <button type="button" className={`button danger ${className}`} onClick={act}>
      {isAsked ? confirmLabel : label}
    </button>
  )
}
