import { useLayoutEffect, useRef, useState } from 'react'
import { useIsThere } from '../../browser/use-is-there.js'
import { useSingleFlight } from '../../browser/use-single-flight.js'
import { useUnloadGuard } from '../../browser/use-unload-guard.js'
import { useToast } from '../toasts.js'

/**
 * Sends what is in fields, once at a time. They are disabled meanwhile, as what is typed then would be lost; the focus
 * returns to the field that had it. A failure is a toast once the fields are gone.
 */
export const useSending = <Args extends unknown[]>(
  work: (...args: Args) => Promise<unknown>,
  /** Called with an error that `work` throws. */
  onFailure: (error: Error) => void,
) => {
  const [isSending, setSending] = useState(false)
  const box = useRef<HTMLElement>(null)
  const focused = useRef<Element>(null)
  const isThere = useIsThere()
  const showToast = useToast()
  const send = useSingleFlight(async (...args: Args) => {
    focused.current = document.activeElement
    setSending(true)
    try {
      await work(...args)
    } catch (error) {
      if (isThere()) onFailure(error as Error)
      else showToast(error as Error)
    } finally {
      setSending(false)
    }
  })
  useLayoutEffect(() => {
    const field = focused.current
    // A browser takes the focus from a disabled field, in which the typing goes on afterwards.
    if (isSending || !(field instanceof HTMLElement) || !box.current?.contains(field)) return
    if (!box.current.contains(document.activeElement)) field.focus()
  }, [isSending])
  // Nobody would learn how it ended, or ever see a key that is shown once.
  useUnloadGuard(isSending)
  /** Takes the element around the fields, which has `aria-busy` while they are sent. */
  const within = (element: HTMLElement | null) => {
    box.current = element
  }
  return { isSending, send, within }
}
