import { useEffect, useRef } from 'react'
import { FLAG } from '../../../../../generated/outline-flags.js'
import type { Outline } from '../outline/outline.js'
import { type Stretch, TimeMap } from './time-map.js'

const HEIGHT = 36

/**
 * The whole thread on one line: the load at each pixel, failures as red ticks that are never merged away. Dragging
 * zooms the waterfall. Screen readers have the tree instead.
 */
export const Minimap = ({
  outline,
  stretches,
  window: shown,
  onZoom,
}: {
  outline: Outline
  stretches: readonly Stretch[]
  window: Stretch | undefined
  onZoom: (window: Stretch | undefined) => void
}) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const drag = useRef<number>(undefined)
  useEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (element == null || context == null) return
    const paint = () => {
      const width = element.clientWidth
      const scale = devicePixelRatio
      element.width = width * scale
      element.height = HEIGHT * scale
      context.scale(scale, scale)
      draw(context, outline, new TimeMap(stretches, width), shown)
    }
    paint()
    const observer = new ResizeObserver(paint)
    observer.observe(element)
    return () => observer.disconnect()
  }, [outline, stretches, shown])
  const momentAt = (event: React.PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    return new TimeMap(stretches, box.width).at(event.clientX - box.left)
  }
  return (
    <canvas
      ref={canvas}
      className="minimap"
      aria-hidden="true"
      onPointerDown={(event) => {
        drag.current = momentAt(event)
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerUp={(event) => {
        const from = drag.current
        drag.current = undefined
        if (from === undefined) return
        const to = momentAt(event)
        if (Math.abs(to - from) > 1) onZoom({ from: Math.min(from, to), to: Math.max(from, to) })
      }}
      onDoubleClick={() => onZoom(undefined)}
    />
  )
}

const draw = (
  context: CanvasRenderingContext2D,
  outline: Outline,
  map: TimeMap,
  shown: Stretch | undefined,
) => {
  const probe = document.createElement('span')
  document.body.append(probe)
  const colour = (token: string) => {
    probe.style.color = `var(${token})`
    return getComputedStyle(probe).color
  }
  const width = Math.ceil(map.width)
  const busy = new Float32Array(width)
  const failed = new Uint8Array(width)
  for (let place = 0; place < outline.count; place++) {
    const start = outline.start[place] ?? Number.NaN
    if (Number.isNaN(start)) continue
    const length = outline.duration[place] ?? 0
    const left = Math.max(0, Math.floor(map.x(start)))
    const right = Math.min(width - 1, Math.floor(map.x(start + (length || 0))))
    for (let x = left; x <= right; x++) busy[x] = (busy[x] ?? 0) + 1
    if ((outline.flags[place] ?? 0) & FLAG.failed) failed[Math.min(right, width - 1)] = 1
  }
  const most = busy.reduce((high, value) => Math.max(high, value), 1)
  context.clearRect(0, 0, width, HEIGHT)
  context.fillStyle = colour('--type-run')
  for (let x = 0; x < width; x++) {
    const value = busy[x] ?? 0
    if (value === 0) continue
    const height = Math.max(2, (Math.log1p(value) / Math.log1p(most)) * (HEIGHT - 10))
    context.fillRect(x, HEIGHT - height, 1, height)
  }
  context.fillStyle = colour('--line-strong')
  for (const { x } of map.cuts()) context.fillRect(x + map.cutWidth / 2, 0, 1, HEIGHT)
  context.fillStyle = colour('--error-mark')
  for (let x = 0; x < width; x++) if (failed[x]) context.fillRect(x, 0, 2, HEIGHT)
  if (shown !== undefined) {
    context.strokeStyle = colour('--accent')
    context.lineWidth = 2
    const left = map.x(shown.from)
    context.strokeRect(left + 1, 1, Math.max(4, map.x(shown.to) - left - 2), HEIGHT - 2)
  }
  probe.remove()
}
