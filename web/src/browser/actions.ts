import { useEffect, useRef } from 'react'

/** Something that the page can do now, which the palette offers by its name. */
export interface Action {
  name: string
  /** The key that does the same. */
  key?: string
  run: () => unknown
}

type Offer = readonly (Action | false | undefined)[]

const offers = new Set<{ current: Offer }>()

/** Offers actions while the component is shown. Those that are not possible now are false or undefined. */
export const useActions = (actions: Offer): void => {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    offers.add(latest)
    return () => {
      offers.delete(latest)
    }
  }, [])
}

/** Returns the actions of all shown parts of the page, the innermost first. */
export const offeredActions = (): Action[] =>
  [...offers].flatMap(({ current }) => current.filter((action): action is Action => !!action))
