import { useEffect, useRef, useState } from 'react'
import { Icon } from '../ui/icons.js'
import { Builder } from './builder.js'
import type { ShownLanguage } from './fields.js'
import { parseFilter } from './language.js'

const TYPING_MS = 300

/** The filter of a list, as text and as a builder: two views of one value, which the address keeps. */
export const FilterBar = ({
  language,
  text,
  onChange,
  placeholder,
}: {
  language: ShownLanguage
  text: string
  /** Typing replaces the address; a chosen condition adds to the history. */
  onChange: (text: string, isTyping: boolean) => void
  placeholder: string
}) => {
  const [draft, setDraft] = useState(text)
  const [isOpen, setOpen] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => setDraft(text), [text])
  useEffect(() => () => clearTimeout(timer.current), [])
  const { mistakes } = parseFilter(draft, language)
  const [mistake] = mistakes
  return (
    <div className="filter">
      <div className="row">
        <input
          ref={input}
          className="field grow"
          type="search"
          aria-label="Filter"
          aria-invalid={mistake !== undefined}
          data-filter
          spellCheck={false}
          placeholder={placeholder}
          value={draft}
          onChange={(event) => {
            const { value } = event.target
            setDraft(value)
            clearTimeout(timer.current)
            timer.current = setTimeout(() => onChange(value, true), TYPING_MS)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') {
              clearTimeout(timer.current)
              onChange(draft, false)
            } else if (event.key === 'Escape') {
              // A browser would empty the field; this only leaves it.
              event.preventDefault()
              input.current?.blur()
            }
          }}
        />
        <button
          type="button"
          className="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="plus" /> filter
        </button>
      </div>
      {mistake !== undefined && (
        <p className="mistake mono" role="alert">
          {draft.slice(0, mistake.at)}
          <mark>▲</mark>
          {draft.slice(mistake.at)}
          {'\n'}
          {mistake.message}
        </p>
      )}
      {isOpen && (
        <Builder
          language={language}
          text={draft}
          onChange={(value) => {
            setDraft(value)
            onChange(value, false)
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  )
}
