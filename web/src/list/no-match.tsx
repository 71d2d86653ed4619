import type { Field } from '../filter/condition.js'
import { wordsOf } from '../filter/fields.js'
import { parseFilter } from '../filter/parse.js'
import { showFilter } from '../filter/show.js'

/** Offers to drop each condition when nothing passes. */
export const NoMatch = ({
  text,
  fields,
  noun,
  others,
  onChange,
  onClear,
}: {
  text: string
  fields: readonly Field[]
  noun: string
  others: readonly (string | undefined)[]
  onChange: (text: string) => void
  onClear: () => void
}) => {
  const { conditions } = parseFilter(text, fields, wordsOf(fields))
  return (
    <div className="empty">
      <p>No {noun} match all conditions. Drop one:</p>
      <div className="row wrap">
        {conditions.map((condition, index) => {
          const shown = showFilter([condition])
          return (
            <button
              type="button"
              className="button mono"
              key={shown}
              onClick={() => onChange(showFilter(conditions.filter((_, at) => at !== index)))}
            >
              {shown} ✕
            </button>
          )
        })}
        <button type="button" className="button" onClick={onClear}>
          Drop all{others.length > 0 ? ` (also ${others.join(', ')})` : ''}
        </button>
      </div>
    </div>
  )
}
