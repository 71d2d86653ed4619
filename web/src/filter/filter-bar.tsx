import { useEffect, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { line } from '../format/text.js'
import { Icon } from '../ui/icons.js'
import { Builder } from './builder.js'
import type { ShownLanguage } from './fields.js'
import { parseFilter } from './language.js'
import type { Suggestion } from './suggest.js'
import { useCompletion } from './use-completion.js'

const TYPING_MS = 300

/** The filter of a list, as text and as a builder: two views of one value, which the address keeps. */
export const FilterBar = ({
  language,
  text,
  onChange,
  onDown,
  placeholder,
  typingMs = TYPING_MS,
}: {
  language: ShownLanguage
  text: string
  /** Typing replaces the address; a chosen condition adds to the history. */
  onChange: (text: string, isTyping: boolean) => void
  /** Called when an arrow leads out of the field, to the rows. */
  onDown?: () => void
  placeholder: string
  /** The pause of keys after which the text changes; 0 in a form, which may be sent at once. */
  typingMs?: number
}) => {
  const [draft, setDraft] = useState(text)
  const [isOpen, setOpen] = useState(false)
  const [caret, setCaret] = useState<number>()
  /** The label of the completion that the arrows have chosen: late answers put others before it. */
  const [chosenLabel, setChosenLabel] = useState<string>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const input = useRef<HTMLInputElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const listId = useId()
  const { from, options } = useCompletion(draft, caret, language)
  const active = options.findIndex(({ label }) => label === chosenLabel)
  useEffect(() => setDraft(text), [text])
  useEffect(() => () => clearTimeout(timer.current), [])
  const { mistakes } = parseFilter(draft, language)
  const [first] = mistakes
  const isOffering = options.length > 0
  // A condition that is being typed is not whole yet.
  const mistake = isOffering && first !== undefined && first.at >= from ? undefined : first
  const offer = (at: number | undefined) => {
    setCaret(at)
    setChosenLabel(undefined)
  }
  const write = (value: string) => {
    setDraft(value)
    clearTimeout(timer.current)
    if (typingMs === 0) return onChange(value, true)
    timer.current = setTimeout(() => onChange(value, true), typingMs)
  }
  const accept = ({ insert, isEnd }: Suggestion) => {
    const end = caret ?? draft.length
    const rest = draft.slice(end)
    const put = isEnd && rest === '' ? `${insert} ` : insert
    const next = from + put.length
    // The field has its new text before the next key.
    flushSync(() => {
      write(draft.slice(0, from) + put + rest)
      offer(isEnd ? undefined : next)
    })
    input.current?.focus()
    input.current?.setSelectionRange(next, next)
  }
  const apply = () => {
    clearTimeout(timer.current)
    offer(undefined)
    onChange(draft, false)
  }
  return (
    <div className="filter">
      <div className="row">
        <input
          ref={input}
          className="field grow"
          type="search"
          role="combobox"
          aria-label="Filter"
          aria-invalid={mistake !== undefined}
          aria-autocomplete="list"
          aria-expanded={isOffering}
          aria-controls={listId}
          aria-activedescendant={active >= 0 ? `${listId}-${active}` : undefined}
          autoComplete="off"
          data-filter
          spellCheck={false}
          placeholder={placeholder}
          value={draft}
          onChange={(event) => {
            const { value, selectionStart } = event.target
            write(value)
            offer(selectionStart ?? value.length)
          }}
          onClick={() => draft === '' && offer(0)}
          onBlur={() => offer(undefined)}
          onKeyDown={(event) => {
            const { key, ctrlKey } = event
            const chosen = options[active]
            if (key === ' ' && ctrlKey) offer(event.currentTarget.selectionStart ?? draft.length)
            else if (key === 'ArrowDown' && isOffering)
              setChosenLabel((options[active + 1] ?? options[0])?.label)
            else if (key === 'ArrowUp' && isOffering)
              setChosenLabel((options[active - 1] ?? options.at(-1))?.label)
            else if ((key === 'Enter' || key === 'Tab') && chosen !== undefined) accept(chosen)
            else if (key === 'Enter') apply()
            else if (key === 'ArrowDown') {
              apply()
              input.current?.blur()
              onDown?.()
            } else if (key === 'Escape' && chosen !== undefined) offer(undefined)
            // A browser would empty the field; this only leaves it.
            else if (key === 'Escape') input.current?.blur()
            else return
            event.preventDefault()
          }}
        />
        <button
          ref={opener}
          type="button"
          className="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="plus" /> filter
        </button>
      </div>
      {isOffering && !isOpen && (
        <div className="suggestions" role="listbox" id={listId} aria-label="Completions">
          {options.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles keys
            <div
              key={option.label}
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              className="suggestion"
              aria-selected={index === active}
              // A click would first take the focus from the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => accept(option)}
            >
              <span className="mono clip">
                <bdi>{line(option.label, 80)}</bdi>
              </span>
              <span className="quiet">{option.detail}</span>
            </div>
          ))}
        </div>
      )}
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
          opener={opener}
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
