import { useRef } from 'react'

const STEP = 8

/** The border of a column's head, which moves its width: by pointer, or by arrows. */
export const Resizer = ({
  title,
  width,
  onResize,
}: {
  title: string
  width: number
  onResize: (width: number) => void
}) => {
  const grip = useRef({ x: 0, width: 0 })
  return (
    <span
      className="resizer"
      role="separator"
      aria-label={`Width of ${title}`}
      aria-orientation="vertical"
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={(event) => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        // The drawn column may be wider than its setting.
        const head = event.currentTarget.closest('th')
        grip.current = { x: event.clientX, width: head?.offsetWidth ?? width }
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
        onResize(grip.current.width + event.clientX - grip.current.x)
      }}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key]
        if (by === undefined) return
        event.preventDefault()
        event.stopPropagation()
        onResize(width + by)
      }}
    />
  )
}
