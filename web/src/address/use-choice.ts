import { useEffect, useRef, useState } from 'react'
import { useAddress } from './use-address.js'

const IDLE_MS = 200

/**
 * Keeps the chosen item of a page in a parameter of the address. The address follows when keys pause, as browsers drop
 * frequent changes; a click makes an entry in the history at once.
 */
export const useChoice = (name: string) => {
  const address = useAddress()
  const said = address.get(name)
  const [chosen, setChosen] = useState(said)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const written = useRef(said)
  useEffect(() => {
    // An address written by keys is out of date once they have moved on.
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
    /** Chooses an item by keys. */
    go: (id: string) => {
      setChosen(id)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => write(id, false), IDLE_MS)
    },
    /** Opens it, together with other parameters. */
    open: (id: string, more?: Record<string, string>) => {
      setChosen(id)
      write(id, true, more)
    },
    /** Chooses an item that is about to be left for its page. */
    mark: (id: string) => {
      setChosen(id)
      if (id !== said) write(id, false)
    },
    /** Writes the choice into the address now, so that Back returns to it. */
    flush: () => {
      if (chosen !== undefined && chosen !== said) write(chosen, false)
    },
  }
}
