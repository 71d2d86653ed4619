import { useEffect } from 'react'

/** Has the browser ask before the page is loaded anew or closed, while work that would end with it is under way. */
export const useUnloadGuard = (isActive: boolean): void =>
  useEffect(() => {
    if (!isActive) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isActive])
