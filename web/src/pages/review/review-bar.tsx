import { useAddress } from '../../address/use-address.js'
import { STEP_FIELDS } from '../../filter/fields.js'
import { FilterBar } from '../../filter/filter-bar.js'
import { seedOf } from './queue.js'

/** Chooses the queue: the steps, their order, and the scores to give. */
export const ReviewBar = ({
  text,
  names,
  known,
  order,
}: {
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
      <FilterBar
        fields={STEP_FIELDS}
        text={text}
        placeholder="type=llm score[quality]:none"
        onChange={(q, isTyping) => address.set({ q, item: null }, { replace: isTyping })}
      />
      <label className="row">
        giving
        <input
          className="field"
          aria-label="Scores to give, separated by commas"
          list="review-names"
          value={address.get('give') ?? names.join(',')}
          placeholder="quality,tone"
          onChange={(event) => address.set({ give: event.target.value }, { replace: true })}
        />
      </label>
      <datalist id="review-names">
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <select
        className="field"
        aria-label="Order"
        value={seedOf(order) === undefined ? (order ?? 'newest') : 'shuffled'}
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
    </div>
  )
}
