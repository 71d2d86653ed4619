import { useRef } from 'react'
import { useAddress } from '../address/use-address.js'
import { useFocusOfEnabled } from '../browser/kept-focus.js'

export interface PageInfo {
  startCursor: string | null
  endCursor: string | null
  hasNextPage: boolean
  hasPreviousPage: boolean
}

const PAGE_SIZE = 50

/** Reads the page of a plain list from the address. */
export const usePage = () => {
  const address = useAddress()
  const after = address.get('after') ?? null
  const before = address.get('before') ?? null
  return before === null ? { first: PAGE_SIZE, after } : { last: PAGE_SIZE, before }
}

export const Pager = ({ info }: { info: PageInfo }) => {
  const address = useAddress()
  const foot = useRef<HTMLDivElement>(null)
  useFocusOfEnabled(foot)
  if (!info.hasNextPage && !info.hasPreviousPage) return null
  return (
    <div ref={foot} className="list-foot">
      <button
        type="button"
        className="button"
        disabled={!info.hasPreviousPage}
        onClick={() => address.set({ before: info.startCursor, after: null })}
      >
        ‹ before
      </button>
      <button
        type="button"
        className="button"
        disabled={!info.hasNextPage}
        onClick={() => address.set({ after: info.endCursor, before: null })}
      >
        after ›
      </button>
    </div>
  )
}
