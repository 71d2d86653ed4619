import { useEffect, useRef, useState } from 'react'
import { useAddress } from '../address/use-address.js'

const REST_MS = 200

/**
 * The step that is chosen. The address follows once keys rest, as browsers drop what changes it too often; what is opened
 * by a click is an entry of the history at once.
 */
export const useSelection = () => {
  const address = useAddress()
  const said = address.get('step')
  const [chosen, setChosen] = useState(said)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    clearTimeout(timer.current)
    setChosen(said)
  }, [said])
  useEffect(() => () => clearTimeout(timer.current), [])
  const choose = (id: string, isOpening: boolean, more: Record<string, string>) => {
    setChosen(id)
    clearTimeout(timer.current)
    if (isOpening) address.set({ step: id, ...more })
    else timer.current = setTimeout(() => address.set({ step: id }, { replace: true }), REST_MS)
  }
  return [chosen, choose] as const
}
