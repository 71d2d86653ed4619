import { type ReactNode, useLayoutEffect, useRef } from 'react'

/** A modal dialog at the side of a narrow page, which ends by a choice in it, a tap beside it or Escape. */
export const Drawer = ({ onClose, children }: { onClose: () => void; children: ReactNode }) => {
  const element = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // Closing it before it leaves the page returns the focus to the button that opened it.
    return () => dialog?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, and Enter clicks the links in it
    <dialog
      ref={element}
      className="drawer"
      aria-label="Pages"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={({ target, currentTarget }) => {
        // The surface beside a modal dialog is its own. A link may lead to the page that is open already.
        if (target === currentTarget || (target as Element).closest('a') !== null) onClose()
      }}
    >
      {children}
    </dialog>
  )
}
