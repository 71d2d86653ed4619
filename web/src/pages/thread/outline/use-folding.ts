import { useEffect, useRef, useState } from 'react'
import { useAddress } from '../../../address/use-address.js'
import type { Outline } from './outline.js'
import { type Folding, reveal } from './rows.js'

/** The folds of a tree. The step at `place` always shows. */
export const useFolding = (outline: Outline, place: number) => {
  const address = useAddress()
  const [folding, setFolding] = useState<Folding>({
    closed: new Set(),
    unfolded: new Set(),
    foldsAlike: address.get('fold') !== 'none',
  })
  // Unfolds the step of the address.
  useEffect(() => {
    if (place >= 0) setFolding((current) => reveal(outline, place, current))
  }, [outline.ids[place]])
  // Folds hold places, which change when the tree is read again.
  const before = useRef(outline)
  useEffect(() => {
    const old = before.current
    before.current = outline
    if (old === outline) return
    const moved = (places: ReadonlySet<number>) =>
      new Set([...places].map((at) => outline.placeOf(old.ids[at] ?? '')).filter((at) => at >= 0))
    setFolding((current) => ({
      ...current,
      closed: moved(current.closed),
      unfolded: moved(current.unfolded),
    }))
  }, [outline])
  return {
    folding,
    /** Opens or closes the step at a place. */
    toggle: (at: number) =>
      setFolding((current) => {
        const closed = new Set(current.closed)
        if (!closed.delete(at)) closed.add(at)
        return { ...current, closed }
      }),
    /** Shows the like siblings that begin at a place one by one. */
    unfold: (at: number) =>
      setFolding((current) => ({ ...current, unfolded: new Set(current.unfolded).add(at) })),
    /** Opens or closes everything at a place and below. */
    setAll: (at: number, isClosed: boolean) =>
      setFolding((current) => {
        const closed = new Set(current.closed)
        const end = at + (outline.size[at] ?? 1)
        for (let below = Math.max(at, 0); below < end; below++)
          if (!isClosed) closed.delete(below)
          else if ((outline.size[below] ?? 1) > 1) closed.add(below)
        return { ...current, closed }
      }),
    /** Folds like siblings into one row, or unfolds them; the address keeps it. */
    toggleAlike: () => {
      address.set({ fold: folding.foldsAlike ? 'none' : null }, { replace: true })
      setFolding((current) => ({
        ...current,
        unfolded: new Set(),
        foldsAlike: !current.foldsAlike,
      }))
    },
  }
}
