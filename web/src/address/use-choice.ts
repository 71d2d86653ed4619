import { useEffect, useRef, useState } from 'react'
import { useAddress } from './use-address.js'

const IDLE_MS = 200

/**
 * What of a page is chosen, by a parameter of the address. The address follows once keys rest, as browsers drop what
 * changes it too often; what is opened by a click is an entry of the history at once.
 */
export const useChoice = (name: string) => {
  const address = useAddress()
  const said = address.get(name)
  const [chosen, setChosen] = useState(said)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const written = useRef(said)
  useEffect(() => {
    // What the keys wrote is old news when they have gone on.
    if (said === written.current) return
    written.current = said
    clearTimeout(timer.current)
    setChosen(said)
  }, [said])
  useEffect(() => () => clearTimeout(timer.current), [])
  const write = (id: string, isOpening: boolean, more: Record<string, string> = {}) => {
    clearTimeout(timer.current)
    written.current = id
    address.set({ [name]: id, ...more }, { replace: !isOpening })
  }
  return {
    chosen,
    /** Goes there by keys. */
    go: (id: string) => {
      setChosen(id)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => write(id, false), IDLE_MS)
    },
    /** Opens it, with what else that changes. */
    open: (id: string, more?: Record<string, string>) => {
      setChosen(id)
      write(id, true, more)
    },
    /** Has the address say now what is chosen: for whoever leaves, and comes back. */
    flush: () => {
      if (chosen !== undefined && chosen !== said) write(chosen, false)
    },
  }
}
