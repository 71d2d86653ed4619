import 'uplot/dist/uPlot.min.css'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import { Link } from 'wouter'
import { line } from '../format/text.js'
import { dayAndTime, full } from '../format/time.js'
import { zone } from '../format/zone.js'
import { logTicks, timeLabels } from './axes.js'
import { drawnValues } from './drawn-values.js'

export interface Line {
  name: string
  /** Null where nothing was measured: the line breaks there. */
  values: readonly (number | null)[]
  /** How many were measured in each bucket. */
  counts?: readonly number[]
}

export interface ChartProps {
  title: string
  /** The finding, for whoever does not see the chart. */
  caption: string
  /** When each bucket began, in seconds since 1970. */
  starts: readonly number[]
  bucketSeconds: number
  lines: readonly Line[]
  show: (value: number | null | undefined) => string
  isLog?: boolean
  /** Stands above what is drawn when something newer could not be read. */
  problem?: ReactNode
  kind?: 'lines' | 'bars'
  /** Bars stand on one another: together they are the whole. Else they stand before one another. */
  isStacked?: boolean
  /** Where the rows behind a bucket are. */
  linkFor?: (start: number, end: number) => string
  onRange: (from: number, to: number) => void
  onReset: () => void
}

const HEIGHT = 160
const HUES = [
  '--accent',
  '--type-tool',
  '--type-retrieval',
  '--type-llm',
  '--type-message',
  '--fg-3',
]
const SYNC = uPlot.sync('overview')
const FEWEST = 20

/** A chart over time, with its table a key away. */
export const Chart = (props: ChartProps) => {
  const { title, caption, starts, bucketSeconds, lines, show, linkFor } = props
  const [isTable, setTable] = useState(false)
  const [bucket, setBucket] = useState<number>()
  const figure = useRef<HTMLElement>(null)
  const at = bucket ?? starts.length - 1
  const start = starts[at]
  const said =
    bucket === undefined || start === undefined
      ? ''
      : `${dayAndTime(new Date(start * 1000).toISOString())}: ${lines
          .map(({ name, values }) => `${name} ${show(values[bucket])}`)
          .join(', ')}`
  return (
    <figure
      ref={figure}
      className="chart panel"
      tabIndex={0}
      aria-label={`${title}. ${caption}`}
      onKeyDown={(event) => {
        if (event.target !== figure.current) return
        if (event.key === 'ArrowLeft') setBucket(Math.max(0, at - (bucket === undefined ? 0 : 1)))
        else if (event.key === 'ArrowRight') setBucket(Math.min(starts.length - 1, at + 1))
        else if (event.key === 't') setTable(!isTable)
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      <figcaption className="row">
        <strong className="grow">{title}</strong>
        <span className="soft clip">{caption}</span>
        <button
          type="button"
          className="button plain small"
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        >
          table
        </button>
      </figcaption>
      {props.problem}
      {isTable ? (
        <ChartTable {...props} />
      ) : (
        <Plot {...props} bucket={bucket} onBucket={setBucket} />
      )}
      <div className="row chart-said soft">
        <span aria-live="polite" className="grow clip">
          {said ||
            lines.slice(0, HUES.length).map(({ name }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a model may be called as the rest is
              <span key={index} className="chart-key">
                <i style={{ background: `var(${HUES[index]})` }} /> <bdi>{line(name, 40)}</bdi>
              </span>
            ))}
        </span>
        {bucket !== undefined && start !== undefined && linkFor !== undefined && (
          <Link href={linkFor(start, start + bucketSeconds)}>the rows behind it</Link>
        )}
      </div>
    </figure>
  )
}

const Plot = ({
  starts,
  bucketSeconds,
  lines,
  show,
  isLog = false,
  kind = 'lines',
  isStacked = false,
  bucket,
  onBucket,
  onRange,
  onReset,
}: ChartProps & { bucket: number | undefined; onBucket: (bucket: number | undefined) => void }) => {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const handlers = useRef({ onBucket, onRange, onReset })
  handlers.current = { onBucket, onRange, onReset }
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const style = getComputedStyle(element)
    const colour = (token: string) => {
      element.style.color = `var(${token})`
      return style.color
    }
    const hues = HUES.map(colour)
    const [grid, ink] = [colour('--line'), colour('--fg-2')]
    element.style.color = ''
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
        // To where the last bucket ends, which is what has just happened.
        x: { time: true, range: [starts[0] ?? 0, (starts.at(-1) ?? 0) + bucketSeconds] },
        // From nothing, and below it where scores are.
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
        ...lines.map(({ name, counts }, index) => {
          const hue = hues[index % hues.length] ?? ink
          return kind === 'bars'
            ? {
                label: name,
                stroke: hue,
                fill: hue,
                width: 0,
                paths: uPlot.paths.bars?.({ size: [0.8, 60], align: 1 }),
                points: { show: false },
              }
            : {
                label: name,
                stroke: hue,
                width: 1.5,
                spanGaps: false,
                // Few values make a point that says little: it is drawn hollow.
                points: {
                  show: true,
                  size: 4,
                  fill: (counts?.some((count) => count < FEWEST) ?? false) ? 'transparent' : hue,
                },
              }
        }),
      ] as uPlot.Series[],
      hooks: {
        setSelect: [
          (chart) => {
            const { left, width } = chart.select
            if (width < 4) return
            handlers.current.onRange(chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x'))
            chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          },
        ],
        drawClear: [
          (chart) => {
            // The last bucket goes on: what is hatched is not over yet.
            const last = starts.at(-1)
            if (last === undefined || Date.now() / 1000 > last + bucketSeconds) return
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
      [[...starts], ...drawnValues(lines, { isStacked, isLog })] as uPlot.AlignedData,
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
  }, [starts, bucketSeconds, lines, isLog, kind, isStacked, show])
  useEffect(() => {
    const chart = plot.current
    const start = bucket === undefined ? undefined : starts[bucket]
    if (chart !== undefined && start !== undefined)
      chart.setCursor({ left: chart.valToPos(start, 'x'), top: 10 })
  }, [bucket, starts])
  return <div ref={box} className="plot" aria-hidden="true" />
}

const ChartTable = ({ starts, bucketSeconds, lines, show, linkFor, title }: ChartProps) => (
  <div className="chart-table">
    <table className="table" aria-label={title} style={{ tableLayout: 'auto' }}>
      <thead>
        <tr>
          <th scope="col">From</th>
          {lines.map(({ name }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a model may be called as the rest is
            <th scope="col" key={index} className="right">
              <bdi>{line(name, 60)}</bdi>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {starts.map((start, index) => {
          const iso = new Date(start * 1000).toISOString()
          return (
            <tr key={start}>
              <td title={full(iso)}>
                {linkFor === undefined ? (
                  dayAndTime(iso)
                ) : (
                  <Link href={linkFor(start, start + bucketSeconds)}>{dayAndTime(iso)}</Link>
                )}
              </td>
              {lines.map(({ values }, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a model may be called as the rest is
                <td key={place} className="right">
                  {show(values[index])}
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  </div>
)
