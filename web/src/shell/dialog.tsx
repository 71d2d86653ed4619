import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Icon } from './icons.js'

/** A modal dialog of the browser: focus stays inside and returns, Escape closes. */
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
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    if (dialog !== null && !dialog.open) dialog.showModal()
  }, [])
  return (
    <dialog
      ref={element}
      className={className}
      aria-labelledby={id}
      onClose={onClose}
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
      {children}
    </dialog>
  )
}
