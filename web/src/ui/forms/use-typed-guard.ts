import { type SyntheticEvent, useEffect, useRef, useState } from 'react'

const isLong = (field: EventTarget | undefined): boolean =>
  field instanceof HTMLTextAreaElement || (field instanceof HTMLElement && field.isContentEditable)

/**
 * Guards what was typed into the form of a dialog: Escape and the browser's Back leave it at the second press, and loading
 * the page anew asks. One short field is typed again in a moment, and is not worth a question.
 */
export const useTypedGuard = () => {
  /** The fields with typing in them, and if those have room for much. */
  const typed = useRef(new Map<HTMLElement, boolean>())
  const [isAsked, setAsked] = useState(false)
  const wasAsked = useRef(false)
  const ask = (isNow: boolean) => {
    wasAsked.current = isNow
    setAsked(isNow)
  }
  const isUnsaved = () => {
    const fields = [...typed.current].filter(([field]) => field.isConnected)
    // A form that is being sent loses nothing when its dialog closes.
    if (fields.some(([field]) => field.closest('form[aria-busy="true"]') !== null)) return false
    return fields.length > 1 || fields.some(([, hasRoom]) => hasRoom)
  }
  /** Returns true if nothing would be lost, or at the second press; asks for it otherwise. */
  const mayLeave = (): boolean => {
    if (wasAsked.current || !isUnsaved()) return true
    ask(true)
    return false
  }
  useEffect(() => {
    const onUnload = (event: BeforeUnloadEvent) => {
      if (isUnsaved()) event.preventDefault()
    }
    // Absent in older browsers, where Back leaves at once.
    const history = (window as { navigation?: Navigation }).navigation
    const onNavigate = (event: NavigateEvent) => {
      if (event.navigationType === 'traverse' && event.cancelable && !mayLeave())
        event.preventDefault()
    }
    window.addEventListener('beforeunload', onUnload)
    history?.addEventListener('navigate', onNavigate)
    return () => {
      window.removeEventListener('beforeunload', onUnload)
      history?.removeEventListener('navigate', onNavigate)
    }
  }, [])
  return {
    isAsked,
    mayLeave,
    onTyped: ({ target, nativeEvent }: SyntheticEvent) => {
      if (!(target instanceof HTMLElement) || target.closest('form') === null) return
      // The editor of JSON is in a tree of its own, and is not the target.
      typed.current.set(target, isLong(nativeEvent.composedPath()[0]))
      if (wasAsked.current) ask(false)
    },
  }
}
