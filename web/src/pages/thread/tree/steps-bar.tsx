import type { RefObject } from 'react'
import { useAddress } from '../../../address/use-address.js'
import { count, plural } from '../../../format/number.js'
import { duration } from '../../../format/time.js'
import { Icon } from '../../../ui/icons.js'

/** The steps that can be shown alone. */
export const FILTERS = ['errors', 'llm', 'tool', 'run', 'retrieval', 'messages'] as const

/** Controls of the tree: search, types, idle time. */
export const StepsBar = ({
  findField,
  hitCount,
  isSearching,
  findProblem,
  readCount,
  failureCount,
  cuts,
  idleMs,
  isZoomed,
  onHit,
  onFailure,
  onCuts,
  onAll,
}: {
  findField: RefObject<HTMLInputElement | null>
  hitCount: number | undefined
  /** True while contents are searched, of which the count has none yet. */
  isSearching: boolean
  /** The reason why only names were searched. */
  findProblem: string | undefined
  /** The number of steps that are there while the others are read. */
  readCount: number | undefined
  failureCount: number
  cuts: boolean
  /** Milliseconds without any step that are cut, or would be. */
  idleMs: number
  isZoomed: boolean
  onHit: (step: 1 | -1) => void
  onFailure: () => void
  onCuts: () => void
  onAll: () => void
}) => {
  const address = useAddress()
  return (
    <div className="steps-bar">
      <input
        ref={findField}
        className="field"
        type="search"
        placeholder="find in the thread"
        aria-label="Find in the thread"
        value={address.get('find') ?? ''}
        onChange={(event) => address.set({ find: event.target.value }, { replace: true })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onHit(event.shiftKey ? -1 : 1)
          else if (event.key === 'Escape') {
            // A browser would empty the field.
            event.preventDefault()
            event.currentTarget.blur()
          }
        }}
      />
      {hitCount !== undefined && (
        <span className="soft" role="status">
          {[(hitCount > 0 || !isSearching) && plural(hitCount, 'hit'), isSearching && 'searching…']
            .filter(Boolean)
            .join(', ')}
        </span>
      )}
      {findProblem !== undefined && (
        <span className="bad" role="alert" title={findProblem}>
          in names only: {findProblem}
        </span>
      )}
      {readCount !== undefined && (
        <span className="soft" role="status">
          the first {count(readCount)} steps; reading the others…
        </span>
      )}
      <select
        className="field"
        aria-label="Types"
        value={FILTERS.find((filter) => filter === address.get('only')) ?? ''}
        onChange={(event) => address.set({ only: event.target.value })}
      >
        <option value="">types: all</option>
        {FILTERS.map((filter) => (
          <option key={filter}>{filter}</option>
        ))}
      </select>
      <button
        type="button"
        className="button"
        aria-pressed={cuts && idleMs > 0}
        disabled={idleMs <= 0}
        title={
          idleMs > 0
            ? `${duration(idleMs)} between turns, in which nothing ran (i)`
            : 'Between turns nothing is idle for more than 5 s'
        }
        onClick={onCuts}
      >
        cut idle{idleMs > 0 && <span className="soft"> {duration(idleMs)}</span>}
      </button>
      {failureCount > 0 && (
        <button type="button" className="button bad" title="e" onClick={onFailure}>
          <Icon name="error" /> {plural(failureCount, 'error')}
        </button>
      )}
      {isZoomed && (
        <button type="button" className="button" title="0" onClick={onAll}>
          all of it
        </button>
      )}
    </div>
  )
}
