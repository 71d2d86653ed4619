import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

interface Toast {
  id: number
  text: ReactNode
  action?: { label: string; act: () => void } | undefined
}

type ShowToast = (text: ReactNode, action?: Toast['action']) => void

const ToastContext = createContext<ShowToast>(() => undefined)
export const useToast = () => useContext(ToastContext)

/** How long something can be undone. */
const SHOWN_MS = 10_000
let last = 0

/** What was done is said for a while, with the way to undo it. */
export const Toasts = ({ children }: { children: ReactNode }) => {
  const [toasts, setToasts] = useState<Toast[]>([])
  const drop = useCallback(
    (id: number) => setToasts((all) => all.filter((one) => one.id !== id)),
    [],
  )
  const show = useCallback<ShowToast>(
    (text, action) => {
      const id = ++last
      setToasts((all) => [...all.slice(-3), { id, text, action }])
      setTimeout(() => drop(id), SHOWN_MS)
    },
    [drop],
  )
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text, action }) => (
          <div className="toast" key={id}>
            <span className="grow">{text}</span>
            {action !== undefined && (
              <button
                type="button"
                className="button small"
                onClick={() => {
                  action.act()
                  drop(id)
                }}
              >
                {action.label}
              </button>
            )}
          </div>
        ))}
      </div>
    </ToastContext>
  )
}
