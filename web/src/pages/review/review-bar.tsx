import { useAddress } from '../../address/use-address.js'
import { STEP_LANGUAGE, THREAD_LANGUAGE } from '../../filter/fields.js'
import { FilterBar } from '../../filter/filter-bar.js'
import { GiveField } from './give-field.js'
import { seedOf } from './queue.js'
import type { Unit } from './queue-units.js'

export const LANGUAGES = { steps: STEP_LANGUAGE, threads: THREAD_LANGUAGE }
/** The filters of addresses without one. */
export const DEFAULT_FILTERS: Record<Unit, string> = { steps: 'type=llm', threads: '' }
const PLACEHOLDERS = { steps: 'type=llm score[quality]:none', threads: 'ended:any env=prod' }

/** Chooses the queue: the steps or threads, their order, and the scores to give. */
export const ReviewBar = ({
  unit,
  text,
  names,
  known,
  order,
}: {
  unit: Unit
  /** The filter. */
  text: string
  /** The scores to give, and all known ones. */
  names: readonly string[]
  known: readonly string[]
  order: string | undefined
}) => {
  const address = useAddress()
  return (
    <div className="list-bar">
      <select
        className="field"
        aria-label="Things to judge"
        value={unit}
        onChange={({ target: { value } }) =>
          address.set({ of: value === 'steps' ? null : value, q: null, item: null })
        }
      >
        <option value="steps">steps</option>
        <option value="threads">conversations</option>
      </select>
      <select
        className="field"
        aria-label="Order"
        value={seedOf(order) !== undefined ? 'shuffled' : order === 'oldest' ? 'oldest' : 'newest'}
        onChange={({ target: { value } }) =>
          address.set({
            item: null,
            order:
              value === 'newest'
                ? null
                : value === 'shuffled'
                  ? `shuffled-${Math.floor(Math.random() * 1e6)}`
                  : value,
          })
        }
      >
        <option value="newest">newest first</option>
        <option value="oldest">oldest first</option>
        <option value="shuffled" title="In random order within each hundred of the newest">
          shuffled
        </option>
      </select>
      <FilterBar
        key={unit}
        language={LANGUAGES[unit]}
        text={text}
        placeholder={PLACEHOLDERS[unit]}
        onChange={(q, isTyping) =>
          // An emptied field is a choice, too: no filter at all.
          address.set(
            { q: q === DEFAULT_FILTERS[unit] ? null : q, item: null },
            { replace: isTyping, keepsEmpty: true },
          )
        }
      />
      <GiveField
        names={names}
        known={known}
        onChange={(given) => address.set({ give: given.join(',') }, { replace: true })}
      />
    </div>
  )
}
