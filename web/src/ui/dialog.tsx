import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { Icon } from './icons.js'

const FIELDS = 'input:enabled, select:enabled, textarea:enabled'

/**
 * Where a dialog begins: in its first field, from where Enter does what the dialog is for; on its button where there is
 * none, or where Enter only begins another line. A browser would begin at what closes it.
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

/** A modal dialog of the browser: focus begins where one goes on, stays inside and returns, Escape closes. */
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
  useLayoutEffect(() => {
    const dialog = element.current
    if (dialog === null) return
    isOver.current = false
    if (!dialog.open) dialog.showModal()
    const beginning = content.current === null ? null : beginningOf(content.current)
    beginning?.focus()
    return () => {
      // Closed before it is taken out of the page, it gives focus back to where it was.
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
        // A key that is held goes on from what opened the dialog; it has confirmed nothing.
        const isText = event.target instanceof HTMLTextAreaElement
        if (event.key === 'Enter' && event.repeat && !isText) event.preventDefault()
      }}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
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
    </dialog>
  )
}
