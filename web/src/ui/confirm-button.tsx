import { useState } from 'react'
import { useOnce } from '../browser/use-once.js'
import { useToast } from './toasts.js'

/** A button for what can't be undone: its first press says what the second one does. What fails is said. */
export const SureButton = ({
  label,
  sure,
  onSure,
  className = '',
}: {
  label: string
  sure: string
  onSure: () => Promise<unknown>
  className?: string
}) => {
  const [isSure, setSure] = useState(false)
  const say = useToast()
  const act = useOnce(async () => {
    if (!isSure) return setSure(true)
    try {
      await onSure()
    } catch (error) {
      say((error as Error).message)
    }
  })
  return (
    <button type="button" className={`button danger ${className}`} onClick={act}>
      {isSure ? sure : label}
    </button>
  )
}
