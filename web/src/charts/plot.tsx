import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { zone } from '../format/zone.js'
import { logTicks, timeLabels } from './axes.js'
import type { ChartProps } from './chart-props.js'
import { drawnValues, strokeAndPoints } from './drawn-values.js'

const HEIGHT = 160

export const HUES = [
  '--accent',
  '--type-tool',
  '--type-retrieval',
  '--type-llm',
  '--type-message',
  '--fg-3',
]

const SYNC = uPlot.sync('overview')

/** The share of a bucket that may be missing before it is marked as not over. */
const MISSING = 0.02

export const Plot = ({
  starts,
  bucketSeconds,
  lines,
  show,
  isLog = false,
  kind = 'lines',
  isStacked = false,
  needsMany = false,
  bucket,
  selected,
  onBucket,
  onHover,
  onRange,
  onReset,
}: ChartProps & {
  bucket: number | undefined
  /** The first and the last of the selected buckets. */
  selected: readonly [number, number] | undefined
  onBucket: (bucket: number) => void
  onHover: (bucket: number | undefined) => void
}) => {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const isByKeys = useRef(false)
  const handlers = useRef({ onBucket, onHover, onRange, onReset })
  handlers.current = { onBucket, onHover, onRange, onReset }
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const style = getComputedStyle(element)
    const colour = (token: string) => {
      element.style.color = `var(${token})`
      return style.color
    }
    const hues = HUES.map(colour)
    const [grid, ink, paper] = [colour('--line'), colour('--fg-2'), colour('--bg')]
    element.style.color = ''
    const bars = uPlot.paths.bars?.({ size: [0.8, 60], align: 1 })
    const options: uPlot.Options = {
      width: element.clientWidth,
      height: HEIGHT,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone()),
      legend: { show: false },
      cursor: {
        sync: { key: SYNC.key },
        drag: { x: true, y: false, setScale: false },
        points: { size: 6 },
      },
      scales: {
        // To the end of the last bucket, which is the present.
        x: { time: true, range: [starts[0] ?? 0, (starts.at(-1) ?? 0) + bucketSeconds] },
        // From 0, or from negative scores.
        y: isLog
          ? { distr: 3 }
          : {
              range: (_, least, most) => [
                least < 0 ? least * 1.08 : 0,
                most > 0 ? most * 1.08 : least < 0 ? 0 : 1,
              ],
            },
      },
      axes: [
        {
          stroke: ink,
          grid: { show: false },
          ticks: { stroke: grid },
          size: 40,
          font: '11px system-ui',
          values: (_, ticks, __, ___, step) => timeLabels(ticks, step),
        },
        {
          stroke: ink,
          grid: { stroke: grid, width: 1 },
          ticks: { show: false },
          size: 58,
          space: 40,
          font: '11px system-ui',
          ...(isLog
            ? {
                splits: (_, __, least, most) => logTicks(least, most),
                filter: (_, ticks) => ticks,
              }
            : {}),
          values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : show(tick))),
        },
      ],
      series: [
        {},
        ...lines.flatMap(({ name }, index): uPlot.Series[] => {
          const hue = hues[index % hues.length] ?? ink
          if (kind === 'bars')
            return [
              {
                label: name,
                stroke: hue,
                fill: hue,
                width: 0,
                ...(bars === undefined ? {} : { paths: bars }),
                points: { show: false },
              },
            ]
          const points = (fill: string | undefined): uPlot.Series => ({
            label: name,
            stroke: hue,
            width: 1.5,
            paths: () => null,
            points: { show: true, size: 5, stroke: hue, ...(fill === undefined ? {} : { fill }) },
          })
          const stroke = { label: name, stroke: hue, width: 1.5, spanGaps: false }
          // Points of few values prove little, and are hollow.
          return [{ ...stroke, points: { show: false } }, points(hue), points(paper)]
        }),
      ] as uPlot.Series[],
      hooks: {
        setCursor: [
          ({ cursor: { idx, left } }) => {
            const isOver = idx != null && left != null && left >= 0
            handlers.current.onHover(isOver ? idx : undefined)
          },
        ],
        setSelect: [
          (chart) => {
            const { left, width } = chart.select
            if (width < 4 || isByKeys.current) return
            handlers.current.onRange(chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x'))
            chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          },
        ],
        drawClear: [
          (chart) => {
            // The bucket that is not over yet is hatched.
            const now = Date.now() / 1000
            const last = starts.find((start) => now < start + bucketSeconds * (1 - MISSING))
            if (last === undefined || now < last) return
            const { ctx, bbox } = chart
            const left = chart.valToPos(last, 'x', true)
            const right = Math.min(
              bbox.left + bbox.width,
              chart.valToPos(last + bucketSeconds, 'x', true),
            )
            ctx.save()
            ctx.strokeStyle = grid
            ctx.beginPath()
            for (let x = left - bbox.height; x < right; x += 7) {
              ctx.moveTo(Math.max(left, x), bbox.top + bbox.height - Math.max(0, left - x))
              ctx.lineTo(
                Math.min(right, x + bbox.height),
                bbox.top + Math.max(0, x + bbox.height - right),
              )
            }
            ctx.stroke()
            ctx.restore()
          },
        ],
      },
    }
    const chart = new uPlot(
      options,
      [
        [...starts],
        ...drawnValues(lines, { isStacked, isLog }).flatMap((values, index) => {
          if (kind === 'bars') return [values]
          const { stroke, firm, hollow } = strokeAndPoints(values, lines[index]?.counts, needsMany)
          return [stroke, firm, hollow]
        }),
      ] as uPlot.AlignedData,
      element,
    )
    plot.current = chart
    chart.over.addEventListener('dblclick', () => handlers.current.onReset())
    chart.over.addEventListener('click', () => {
      const { idx } = chart.cursor
      if (idx != null) handlers.current.onBucket(idx)
    })
    const observer = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: HEIGHT }),
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [starts, bucketSeconds, lines, isLog, kind, isStacked, needsMany, show])
  useEffect(() => {
    const chart = plot.current
    const start = bucket === undefined ? undefined : starts[bucket]
    if (chart !== undefined && start !== undefined)
      chart.setCursor({ left: chart.valToPos(start, 'x') + 1, top: 10 })
  }, [bucket, starts])
  const [first, last] = selected ?? []
  useEffect(() => {
    const chart = plot.current
    const [from, to] = [starts[first ?? -1], starts[last ?? -1]]
    if (chart === undefined) return
    isByKeys.current = true
    const left = from === undefined ? 0 : chart.valToPos(from, 'x')
    const right = to === undefined ? left : chart.valToPos(to + bucketSeconds, 'x')
    const height = right > left ? chart.over.clientHeight : 0
    chart.setSelect({ left, top: 0, width: right - left, height }, false)
    isByKeys.current = false
  }, [first, last, starts, bucketSeconds])
  return <div ref={box} className="plot" aria-hidden="true" />
}
