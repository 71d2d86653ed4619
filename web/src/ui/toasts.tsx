import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react'
import { FailureText } from './failure.js'
import { Icon } from './icons.js'

interface Toast {
  id: number
  text: ReactNode | Error
  action?: { label: string; act: () => void } | undefined
}

/** Shows a text, or the reason of a failure. */
type ShowToast = (text: ReactNode | Error, action?: Toast['action']) => void

const ToastContext = createContext<ShowToast>(() => undefined)
export const useToast = () => useContext(ToastContext)

/** The time for which a toast shows, and its action can be undone. */
const SHOWN_MS = 10_000
/** The least time for which it shows after waiting. */
const MIN_LEFT_MS = 2000
let last = 0

/** Confirms actions for a while, with a button that undoes them. */
export const Toasts = ({ children }: { children: ReactNode }) => {
  const [toasts, setToasts] = useState<Toast[]>([])
  const dismiss = useCallback(
    (id: number) => setToasts((all) => all.filter((one) => one.id !== id)),
    [],
  )
  const show = useCallback<ShowToast>((text, action) => {
    const id = ++last
    setToasts((all) => [...all.slice(-3), { id, text, action }])
  }, [])
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map((toast) => (
          <ToastView key={toast.id} toast={toast} onDismiss={dismiss} />
        ))}
      </div>
    </ToastContext>
  )
}

/** Waits while the pointer or the focus is in it. */
const ToastView = ({
  toast: { id, text, action },
  onDismiss,
}: {
  toast: Toast
  onDismiss: (id: number) => void
}) => {
  const [isHovered, setHovered] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const leftMs = useRef(SHOWN_MS)
  const isWaiting = isHovered || isFocused
  useEffect(() => {
    if (isWaiting) return
    const start = Date.now()
    const timer = setTimeout(() => onDismiss(id), leftMs.current)
    return () => {
      clearTimeout(timer)
      leftMs.current = Math.max(MIN_LEFT_MS, leftMs.current - (Date.now() - start))
    }
  }, [isWaiting, id, onDismiss])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointers and focus only make it wait
    <div
      className="toast"
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <span className="grow">{text instanceof Error ? <FailureText error={text} /> : text}</span>
      {action !== undefined && (
        <button
          type="button"
          className="button small"
          onClick={() => {
            action.act()
            onDismiss(id)
          }}
        >
          {action.label}
        </button>
      )}
      <button
        type="button"
        className="button plain small"
        aria-label="Dismiss"
        onClick={() => onDismiss(id)}
      >
        <Icon name="close" />
      </button>
    </div>
  )
}
