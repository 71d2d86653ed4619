import { useEffect, useRef, useSyncExternalStore } from 'react'

/** Something that the page can do now, which the palette offers by its name. */
export interface Action {
  name: string
  /** The key that does the same. */
  key?: string
  run: () => unknown
}

type Offer = readonly (Action | false | undefined)[]

const offers = new Set<{ current: Offer }>()
const listeners = new Set<() => void>()
let changes = 0

const noteChange = () => {
  changes += 1
  for (const listener of listeners) listener()
}

const listen = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Offers actions while the component is shown. Those that are not possible now are false or undefined. */
export const useActions = (actions: Offer): void => {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    offers.add(latest)
    return () => {
      offers.delete(latest)
      noteChange()
    }
  }, [])
  const names = actions.map((action) => (action ? action.name : '')).join('\n')
  useEffect(noteChange, [names])
}

/**
 * Returns the actions of all shown parts of the page, the innermost first. Those that become possible later,
 * as their part has loaded, follow behind, so that none takes another's place under the hand that chooses.
 */
export const useOfferedActions = (): Action[] => {
  useSyncExternalStore(listen, () => changes)
  const order = useRef<string[]>([])
  const offered = new Map<string, Action>()
  for (const { current } of offers)
    for (const action of current)
      if (action && !offered.has(action.name)) offered.set(action.name, action)
  order.current = [...new Set([...order.current, ...offered.keys()])]
  return order.current.flatMap((name) => offered.get(name) ?? [])
}
