import { type ReactNode, useRef } from 'react'
import { useFocusOfEnabled } from '../browser/kept-focus.js'

export interface PageInfo {
  startCursor: string | null
  endCursor: string | null
  hasNextPage: boolean
  hasPreviousPage: boolean
}

/** The buttons for the pages before and after, and what else is at the foot of a list. */
export const PageFoot = ({
  info,
  before = 'before',
  after = 'after',
  onMove,
  children,
}: {
  info: PageInfo
  /** The words of the buttons. */
  before?: string
  after?: string
  /** Called with the cursors of the page to show. */
  onMove: (position: { before: string | null; after: string | null }) => void
  children?: ReactNode
}) => {
  const foot = useRef<HTMLDivElement>(null)
  useFocusOfEnabled(foot)
  return (
    <div ref={foot} className="list-foot">
      <button
        type="button"
        className="button"
        disabled={!info.hasPreviousPage}
        onClick={() => onMove({ before: info.startCursor, after: null })}
      >
        ‹ {before}
      </button>
      <button
        type="button"
        className="button"
        disabled={!info.hasNextPage}
        onClick={() => onMove({ before: null, after: info.endCursor })}
      >
        {after} ›
      </button>
      {children}
    </div>
  )
}
