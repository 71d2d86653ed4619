import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

interface Toast {
  id: number
  text: ReactNode
  action?: { label: string; run: () => void } | undefined
}

type Say = (text: ReactNode, action?: Toast['action']) => void

const ToastContext = createContext<Say>(() => undefined)
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
  const say = useCallback<Say>(
    (text, action) => {
      const id = ++last
      setToasts((all) => [...all.slice(-3), { id, text, action }])
      setTimeout(() => drop(id), SHOWN_MS)
    },
    [drop],
  )
  return (
    <ToastContext value={say}>
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
                  action.run()
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
