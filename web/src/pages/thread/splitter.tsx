import { type RefObject, useEffect } from 'react'
import { browserStore } from '../../format/store.js'

/** A border between two panes that moves by pointer or keys, and keeps its place. */
export const Splitter = ({
  name,
  variable,
  panes,
  isHorizontal = false,
  isFromEnd = false,
  className = '',
}: {
  name: string
  /** The custom property that holds the share of the pane, in percent. */
  variable: string
  panes: RefObject<HTMLDivElement | null>
  isHorizontal?: boolean
  isFromEnd?: boolean
  className?: string
}) => {
  const set = (share: number) => {
    const percent = `${Math.round(Math.max(12, Math.min(78, share)))}%`
    panes.current?.style.setProperty(variable, percent)
    browserStore.set(variable, percent)
  }
  useEffect(() => {
    const kept = browserStore.get(variable)
    if (kept !== null && /^\d+%$/.test(kept)) panes.current?.style.setProperty(variable, kept)
  }, [variable, panes])
  const now = () => Number.parseInt(panes.current?.style.getPropertyValue(variable) || '35', 10)
  return (
    <div
      className={`splitter ${isHorizontal ? 'horizontal' : ''} ${className}`}
      role="separator"
      aria-label={name}
      aria-orientation={isHorizontal ? 'horizontal' : 'vertical'}
      aria-valuenow={now()}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        const box = panes.current?.getBoundingClientRect()
        if (!event.currentTarget.hasPointerCapture(event.pointerId) || box === undefined) return
        const share = isHorizontal
          ? (event.clientY - box.top) / box.height
          : (event.clientX - box.left) / box.width
        set((isFromEnd ? 1 - share : share) * 100)
      }}
      onKeyDown={(event) => {
        const back = isHorizontal ? 'ArrowUp' : 'ArrowLeft'
        const on = isHorizontal ? 'ArrowDown' : 'ArrowRight'
        if (event.key !== back && event.key !== on) return
        event.preventDefault()
        set(now() + (event.key === on ? 2 : -2) * (isFromEnd ? -1 : 1))
      }}
    />
  )
}
