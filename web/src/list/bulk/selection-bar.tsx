import { type ReactNode, useRef } from 'react'

/** The number of rows that are chosen in a list, and what can be done with them. */
export const SelectionBar = ({
  told,
  onAll,
  onClear,
  children,
}: {
  told: string
  /** Chooses all rows that match; null while their number is unknown, to which nobody can agree. Absent when that is no choice. */
  onAll: (() => void) | null | undefined
  onClear: () => void
  /** The actions. */
  children: ReactNode
}) => {
  const clear = useRef<HTMLButtonElement>(null)
  return (
    <div className="selection-bar">
      <span>{told}</span>
      {onAll !== undefined && (
        <button
          type="button"
          className="button"
          disabled={onAll === null}
          onClick={() => {
            onAll?.()
            // This button goes, and would leave the focus to the page.
            clear.current?.focus()
          }}
        >
          All that match
        </button>
      )}
      {children}
      <button ref={clear} type="button" className="button plain" onClick={onClear}>
        Clear
      </button>
    </div>
  )
}
