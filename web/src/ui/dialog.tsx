import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { useTypedGuard } from './forms/use-typed-guard.js'
import { Icon } from './icons.js'

const FIELDS = 'input:enabled, select:enabled, textarea:enabled'

/**
 * Finds the element that gets the focus first: the first field, from which Enter sends the form; the button if there is
 * no field, or if Enter only begins another line in it. Browsers would choose the button that closes the dialog.
 */
const beginningOf = (content: HTMLElement): HTMLElement | null => {
  const field = content.querySelector<HTMLElement>(FIELDS)
  if (field !== null && field.tagName !== 'TEXTAREA') return field
  return (
    content.querySelector<HTMLElement>('button.primary:enabled') ??
    field ??
    content.querySelector<HTMLElement>('button:enabled, a[href]')
  )
}

/** A modal dialog of the browser: the focus stays inside and returns, Escape closes, once more if it would lose much that was typed. */
export const Dialog = ({
  title,
  onClose,
  className = '',
  children,
}: {
  title: string
  onClose: () => void
  className?: string
  children: ReactNode
}) => {
  const element = useRef<HTMLDialogElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const isOver = useRef(false)
  const id = useId()
  const { isAsked, mayLeave, onTyped } = useTypedGuard()
  useLayoutEffect(() => {
    const dialog = element.current
    if (dialog === null) return
    isOver.current = false
    if (!dialog.open) dialog.showModal()
    const beginning = content.current === null ? null : beginningOf(content.current)
    beginning?.focus()
    return () => {
      // Closing it before it leaves the page returns the focus to its previous place.
      isOver.current = true
      dialog.close()
    }
  }, [])
  return (
    <dialog
      ref={element}
      className={className}
      aria-labelledby={id}
      onClose={() => {
        if (!isOver.current) onClose()
      }}
      onKeyDown={(event) => {
        // A held key repeats the press that opened the dialog; it confirms nothing.
        const isText = event.target instanceof HTMLTextAreaElement
        if (event.key === 'Enter' && event.repeat && !isText) event.preventDefault()
      }}
      onCancel={(event) => {
        event.preventDefault()
        if (mayLeave()) onClose()
      }}
      onInput={onTyped}
      onPaste={onTyped}
    >
      <div className="row" style={{ marginBottom: 12 }}>
        <h2 id={id} className="grow">
          {title}
        </h2>
        <button type="button" className="button plain small" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div ref={content}>{children}</div>
      {isAsked && (
        <p className="notice unsaved" role="alert">
          This is not saved yet. Press again to discard it.
        </p>
      )}
    </dialog>
  )
}
