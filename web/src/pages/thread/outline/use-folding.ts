import { useEffect, useRef, useState } from 'react'
import { useAddress } from '../../../address/use-address.js'
import type { Outline } from './outline.js'
import { type Folding, reveal } from './rows.js'

/** What is folded of a tree. Whatever is at `place` is shown. */
export const useFolding = (outline: Outline, place: number) => {
  const address = useAddress()
  const [folding, setFolding] = useState<Folding>({
    closed: new Set(),
    unfolded: new Set(),
    foldsAlike: address.get('fold') !== 'none',
  })
  // Whatever the address names is shown, however it was folded.
  useEffect(() => {
    if (place >= 0) setFolding((current) => reveal(outline, place, current))
  }, [outline.ids[place]])
  // Folds are of places, which are other ones in the tree that was read anew.
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
    /** Opens what is closed at a place, and closes what is open. */
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
    /** Whether like siblings fold into one row, which the address keeps. */
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
