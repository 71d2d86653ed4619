import type { ShownLanguage } from '../filter/fields.js'
import { parseFilter, showFilter } from '../filter/language.js'

/** Offers to drop each condition when nothing passes. */
export const NoMatch = ({
  text,
  language,
  noun,
  others,
  onChange,
  onClear,
}: {
  text: string
  language: ShownLanguage
  noun: string
  others: readonly (string | undefined)[]
  onChange: (text: string) => void
  onClear: () => void
}) => {
  const { nodes } = parseFilter(text, language)
  return (
    <div className="empty">
      <p>No {noun} match all conditions. Drop one:</p>
      <div className="row wrap">
        {nodes.map((node, index) => {
          const shown = showFilter([node])
          return (
            <button
              type="button"
              className="button mono"
              key={shown}
              onClick={() => onChange(showFilter(nodes.filter((_, at) => at !== index)))}
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
