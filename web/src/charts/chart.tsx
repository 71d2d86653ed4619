import 'uplot/dist/uPlot.min.css'
import { useRef, useState } from 'react'
import { Link } from 'wouter'
import { line } from '../format/text.js'
import { dayAndTime } from '../format/time.js'
import type { ChartProps } from './chart-props.js'
import { ChartTable } from './chart-table.js'
import { HUES, Plot } from './plot.js'

/** Shows a chart over time; a key shows its table. */
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
      <div className="row chart-summary soft">
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
          <Link href={linkFor(start, start + bucketSeconds)}>show its rows</Link>
        )}
      </div>
    </figure>
  )
}
