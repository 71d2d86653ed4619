import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useAddress } from '../address/use-address.js'
import { useChoice } from '../address/use-choice.js'
import type { ListConfig } from './list-config.js'
import { rememberNeighbours } from './neighbours.js'

/** Returns the element of a row of a table. */
export const rowElement = (key: string) =>
  globalThis.document.querySelector(`tr[data-key="${CSS.escape(key)}"]`)

/** Keeps the row of a list that keys move to, in the address, and remembers the rows beside it for the page that it opens. */
export const useActiveRow = <Row>(
  rows: readonly Row[],
  { title, keyOf, hrefOf }: Pick<ListConfig<never, Row>, 'title' | 'keyOf' | 'hrefOf'>,
) => {
  const address = useAddress()
  const [, navigate] = useLocation()
  const choice = useChoice('row')
  const active = choice.chosen
  const place = rows.findIndex((row) => keyOf(row) === active)
  const isThere = place >= 0
  const remember = () => rememberNeighbours(title, rows.map(hrefOf))
  useEffect(() => {
    if (isThere) rowElement(active ?? '')?.scrollIntoView({ block: 'nearest' })
  }, [isThere])
  // With the current address, so that Back leads to the last row.
  useEffect(remember, [rows, hrefOf, title, address.get('row')])
  const go = (to: number) => {
    const row = rows[to]
    if (row === undefined) return
    choice.go(keyOf(row))
    rowElement(keyOf(row))?.scrollIntoView({ block: 'nearest' })
  }
  return {
    key: active,
    row: rows[place],
    isThere,
    next: () => go(Math.min(place + 1, rows.length - 1)),
    previous: () => go(Math.max(place - 1, 0)),
    /** Goes to the row that was active, or to the first one. */
    enter: () => go(Math.max(place, 0)),
    open: () => {
      const row = rows[place]
      if (row === undefined) return
      choice.flush()
      remember()
      navigate(hrefOf(row))
    },
    /** Keeps the row that a click leads away from in the address, so that Back returns to it. */
    mark: (target: HTMLElement) => {
      const key = target.closest('input') === null && target.closest<HTMLElement>('tr[data-key]')
      if (key && key.dataset.key !== undefined) choice.mark(key.dataset.key)
    },
  }
}
