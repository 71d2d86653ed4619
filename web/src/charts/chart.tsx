import 'uplot/dist/uPlot.min.css'
import { useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { line } from '../format/text.js'
import { dayAndTime } from '../format/time.js'
import { ChartActions } from './chart-actions.js'
import type { ChartProps } from './chart-props.js'
import { ChartTable } from './chart-table.js'
import { HUES, Plot } from './plot.js'

const showTime = (seconds: number): string => dayAndTime(new Date(seconds * 1000).toISOString())

/** Shows a chart over time; a key shows its table. */
export const Chart = (props: ChartProps) => {
  const { title, unit, caption, starts, bucketSeconds, lines, show, linkFor, emptyText } = props
  const [, navigate] = useLocation()
  const [isTable, setTable] = useState(false)
  const [chosen, setBucket] = useState<number>()
  const [hovered, setHovered] = useState<number>()
  const [anchor, setAnchor] = useState<number>()
  const figure = useRef<HTMLElement>(null)
  // Another range may have fewer buckets.
  const bucket = chosen === undefined || chosen >= starts.length ? undefined : chosen
  const at = bucket ?? starts.length - 1
  const [from, to] = anchor === undefined ? [at, at] : [Math.min(anchor, at), Math.max(anchor, at)]
  const isRange = anchor !== undefined && anchor !== at
  const startOf = (index: number) => (starts[0] ?? 0) + index * bucketSeconds
  const link = bucket === undefined || isRange ? undefined : linkFor?.(bucket)
  const shown = hovered ?? bucket
  const spanOfBuckets = `${showTime(startOf(from))} to ${showTime(startOf(to + 1))}`
  const said =
    bucket === undefined
      ? ''
      : isRange
        ? `${spanOfBuckets}: Enter shows this range`
        : `${showTime(startOf(bucket))}: ${lines
            .map(({ name, values }) => `${name} ${show(values[bucket])}`)
            .join(', ')}`
  const step = (by: number, isSelecting: boolean) => {
    setAnchor(isSelecting ? (anchor ?? at) : undefined)
    const isFirst = bucket === undefined && !isSelecting
    setBucket(Math.min(starts.length - 1, Math.max(0, at + (isFirst ? 0 : by))))
  }
  const enter = () => {
    if (isRange) {
      props.onRange(startOf(from), startOf(to + 1))
      setAnchor(undefined)
      setBucket(undefined)
    } else if (link !== undefined) navigate(link.href)
  }
  const timeOf = shown === undefined ? '' : showTime(startOf(shown))
  return (
    <figure
      ref={figure}
      className="chart measured panel"
      tabIndex={0}
      aria-label={`${title}${unit ? `, ${unit}` : ''}. ${caption}`}
      onKeyDown={(event) => {
        if (event.target !== figure.current) return
        if (event.key === 'ArrowLeft') step(-1, event.shiftKey)
        else if (event.key === 'ArrowRight') step(1, event.shiftKey)
        else if (event.key === 'Enter') enter()
        else if (event.key === 'Escape' && bucket !== undefined) {
          setBucket(undefined)
          setAnchor(undefined)
        } else if (event.key === 't') setTable(!isTable)
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      <figcaption>
        <div className="row wrap">
          <span className="chart-title clip">
            <strong>{title}</strong> {unit && <span className="soft">{unit}</span>}
          </span>
          {props.actions}
          <ChartActions {...props} figure={figure} isTable={isTable} onTable={setTable} />
        </div>
        <div className="row soft chart-caption">
          <span className="grow clip">
            {isRange ? `${spanOfBuckets} · Enter` : timeOf === '' ? caption : timeOf}
          </span>
          {link !== undefined && <Link href={link.href}>{link.text}</Link>}
        </div>
      </figcaption>
      {props.problem}
      {isTable ? (
        <ChartTable {...props} />
      ) : emptyText !== undefined ? (
        <p className="plot nothing quiet">{emptyText}</p>
      ) : (
        <Plot
          {...props}
          bucket={bucket}
          selected={isRange ? [from, to] : undefined}
          onBucket={(index) => {
            setAnchor(undefined)
            setBucket(index)
            figure.current?.focus({ preventScroll: true })
          }}
          onHover={setHovered}
        />
      )}
      <div className="chart-summary soft">
        {emptyText === undefined &&
          // The only line that stands for all needs no name, until its value is shown.
          (lines.length > 1 || lines[0]?.name !== 'all' || shown !== undefined) &&
          lines.slice(0, HUES.length).map(({ name, values, counts }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a model may be called as the rest is
            <span key={index} className="chart-key">
              <i style={{ background: `var(${HUES[index]})` }} /> <bdi>{line(name, 40)}</bdi>
              {shown !== undefined && (
                <>
                  {' '}
                  <b>{show(values[shown])}</b>
                  {props.kind === 'lines' &&
                    values[shown] != null &&
                    counts !== undefined &&
                    ` of ${counts[shown]}`}
                </>
              )}
            </span>
          ))}
      </div>
      <span aria-live="polite" className="visually-hidden">
        {said}
        {link !== undefined && `. Enter shows ${link.text}`}
      </span>
    </figure>
  )
}
