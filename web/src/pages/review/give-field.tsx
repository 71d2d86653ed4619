import { useEffect, useId, useRef, useState } from 'react'
import { readNames } from './score-names.js'

const TYPING_MS = 300

/** The field for the names of the scores to give. A name that is being typed stays as it is until the field is left. */
export const GiveField = ({
  names,
  known,
  onChange,
}: {
  /** The scores to give, and all known ones. */
  names: readonly string[]
  known: readonly string[]
  /** Called when keys pause, with none for an emptied field. */
  onChange: (names: readonly string[]) => void
}) => {
  const [draft, setDraft] = useState<string>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const listId = useId()
  useEffect(() => () => clearTimeout(timer.current), [])
  const apply = () => {
    clearTimeout(timer.current)
    if (draft !== undefined) onChange(readNames(draft))
  }
  return (
    <label className="row">
      giving
      <input
        className="field"
        aria-label="Scores to give, separated by commas"
        list={listId}
        value={draft ?? names.join(', ')}
        placeholder="quality, tone"
        onChange={({ target: { value } }) => {
          setDraft(value)
          clearTimeout(timer.current)
          timer.current = setTimeout(() => onChange(readNames(value)), TYPING_MS)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') apply()
        }}
        onBlur={() => {
          apply()
          setDraft(undefined)
        }}
      />
      <datalist id={listId}>
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  )
}
