import {
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { FLAG } from '../../../../../generated/outline-flags.js'
import { count } from '../../../format/number.js'
import { line } from '../../../format/text.js'
import { duration } from '../../../format/time.js'
import { Icon, TypeIcon, typeClass, typeName } from '../../../ui/icons.js'
import { isRun, type Outline, placeOfRow } from '../outline/outline.js'
import type { TimeMap } from './time-map.js'

/** Rows beyond what can be seen: as many as are scrolled by in three frames of a fling. */
const OVERSCAN = 30
const MOST_INDENT = 12

/** A window of rows of fixed height: about as many are in the page as can be seen. */
export const Tree = ({
  outline,
  rows,
  selected,
  closed,
  hits,
  map,
  now,
  rowHeight,
  onSelect,
  onToggle,
  scroller,
  laneRef,
}: {
  outline: Outline
  rows: Int32Array
  /** The row that is selected; -1 for none. */
  selected: number
  closed: ReadonlySet<number>
  hits: ReadonlySet<number> | undefined
  map: TimeMap
  /** How long ago the first step started, for steps that still run. */
  now: number
  rowHeight: number
  onSelect: (row: number) => void
  onToggle: (row: number) => void
  scroller: RefObject<HTMLDivElement | null>
  laneRef: RefObject<HTMLDivElement | null>
}) => {
  const [range, setRange] = useState<[number, number]>([0, 60])
  const update = useCallback(() => {
    const element = scroller.current
    if (element === null) return
    const first = Math.floor(element.scrollTop / rowHeight)
    const last = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight)
    setRange(([from, to]) =>
      // Still inside of what is there: nothing to do.
      (from === 0 || first - OVERSCAN / 2 >= from) &&
      last + OVERSCAN / 2 <= to &&
      to - from < 3 * (last - first + OVERSCAN)
        ? [from, to]
        : [Math.max(0, first - OVERSCAN), last + OVERSCAN],
    )
  }, [rowHeight, scroller])
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    setRange([0, 0])
    update()
    const observer = new ResizeObserver(update)
    observer.observe(element)
    return () => observer.disconnect()
  }, [update, scroller])
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || selected < 0) return
    const top = selected * rowHeight
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight
  }, [selected, rowHeight, scroller])
  const [from, to] = range
  const shown: number[] = []
  for (let row = Math.min(from, rows.length); row < Math.min(to, rows.length); row++)
    shown.push(row)
  // The selected row is where the focus is, and has to be there for readers of the screen.
  if (selected >= 0 && selected < rows.length && (selected < from || selected >= to))
    shown.push(selected)
  return (
    <>
      <div className="tree-head" aria-hidden="true">
        <span>Name</span>
        <span className="right">Dur.</span>
        <span className="right">Tok</span>
        <Axis map={map} laneRef={laneRef} />
      </div>
      <div
        ref={scroller}
        className="tree"
        role="treegrid"
        aria-label="Steps"
        aria-rowcount={rows.length}
        tabIndex={0}
        aria-activedescendant={selected >= 0 ? `row-${selected}` : undefined}
        onScroll={update}
      >
        <div style={{ height: rows.length * rowHeight }} role="presentation" />
        {shown.map((row) => (
          <Row
            key={row}
            row={row}
            code={rows[row] ?? 0}
            outline={outline}
            isSelected={row === selected}
            isClosed={closed.has(placeOfRow(rows[row] ?? 0))}
            isHit={hits?.has(placeOfRow(rows[row] ?? 0)) ?? false}
            isContext={hits !== undefined && !hits.has(placeOfRow(rows[row] ?? 0))}
            map={map}
            now={now}
            top={row * rowHeight}
            onSelect={onSelect}
            onToggle={onToggle}
          />
        ))}
      </div>
    </>
  )
}

const Axis = ({ map, laneRef }: { map: TimeMap; laneRef: RefObject<HTMLDivElement | null> }) => {
  const [{ from } = { from: 0 }] = map.stretches
  const last = map.stretches.at(-1)
  const cuts = map.cuts()
  return (
    <div className="lane" ref={laneRef}>
      <span style={{ left: 2 }}>{duration(from)}</span>
      {cuts.map(({ x, ms }) => (
        <span
          key={x}
          className="quiet"
          style={{ left: x - 12 }}
          title={`${duration(ms)} in which nothing ran`}
        >
          ╱{duration(ms)}╱
        </span>
      ))}
      {cuts.length === 0 && last !== undefined && map.width > 240 && (
        <span style={{ left: '50%', transform: 'translateX(-50%)' }}>
          {duration((from + last.to) / 2)}
        </span>
      )}
      <span style={{ right: 2 }}>{duration(last?.to)}</span>
    </div>
  )
}

interface RowProps {
  row: number
  code: number
  outline: Outline
  isSelected: boolean
  isClosed: boolean
  isHit: boolean
  isContext: boolean
  map: TimeMap
  now: number
  top: number
  onSelect: (row: number) => void
  onToggle: (row: number) => void
}

const Row = memo(
  ({
    row,
    code,
    outline,
    isSelected,
    isClosed,
    isHit,
    isContext,
    map,
    now,
    top,
    onSelect,
    onToggle,
  }: RowProps) => {
    const place = placeOfRow(code)
    const isFolded = isRun(code)
    const type = outline.type(place)
    const size = outline.size[place] ?? 1
    const depth = outline.depth[place] ?? 0
    const flags = outline.flags[place] ?? 0
    const isRunning = (flags & FLAG.running) !== 0
    const hasChildren = size > 1
    const until = isFolded ? (outline.alikeUntil[place] ?? place + 1) : place + size
    const errors = isFolded ? 0 : (outline.errors[place] ?? 0)
    const failed = (flags & FLAG.failed) !== 0
    const name = line(outline.name(place), 200) || typeName(type)
    let tokens = outline.tokens[place] ?? Number.NaN
    if (isFolded || (isClosed && hasChildren)) {
      tokens = Number.NaN
      for (let one = place; one < until; one++) {
        const more = outline.tokens[one] ?? Number.NaN
        if (!Number.isNaN(more)) tokens = (Number.isNaN(tokens) ? 0 : tokens) + more
      }
    }
    const length = outline.duration[place] ?? Number.NaN
    const start = outline.start[place] ?? Number.NaN
    const said = [
      name,
      typeName(type),
      isFolded ? `${outline.alikeCount[place]} alike` : '',
      failed ? 'failed' : '',
      isRunning ? 'no end recorded' : duration(Number.isNaN(length) ? null : length),
      Number.isNaN(start) ? '' : `starts at ${duration(start)}`,
      isClosed ? `hides ${size - 1} steps${errors > 0 ? `, ${errors} failed` : ''}` : '',
    ]
      .filter((part) => part !== '')
      .join(', ')
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
      <div
        id={`row-${row}`}
        className={`tree-row${isSelected ? ' is-selected' : ''}${isHit ? ' is-hit' : ''}${isContext ? ' is-context' : ''}`}
        style={{ top }}
        role="row"
        aria-label={said}
        aria-level={depth + 1}
        aria-rowindex={row + 1}
        aria-selected={isSelected}
        aria-expanded={hasChildren || isFolded ? !(isClosed || isFolded) : undefined}
        onClick={() => onSelect(row)}
      >
        <div
          className="step-cell"
          role="gridcell"
          style={{ paddingLeft: 4 + Math.min(depth, MOST_INDENT) * 12 }}
        >
          {hasChildren || isFolded ? (
            <button
              type="button"
              tabIndex={-1}
              className="twist"
              aria-hidden="true"
              onClick={(event) => {
                event.stopPropagation()
                onToggle(row)
              }}
            >
              <Icon name={isClosed || isFolded ? 'right' : 'down'} />
            </button>
          ) : (
            <span style={{ width: 16, flex: 'none' }} />
          )}
          {failed ? <Icon name="error" className="bad" /> : <TypeIcon type={type} />}
          {depth > MOST_INDENT && <span className="quiet">{depth}</span>}
          <bdi className={`clip step-name${failed ? ' bad' : ''}`}>{name}</bdi>
          {isFolded && <span className="soft">×{outline.alikeCount[place]}</span>}
          {isClosed && hasChildren && <span className="soft">({count(size - 1)})</span>}
          {isClosed && errors > (failed ? 1 : 0) && <span className="bad">✕ {errors}</span>}
          {(flags & FLAG.parentMissing) !== 0 && (
            <span className="quiet" title="The step that it names as its parent never arrived">
              parent not received
            </span>
          )}
          {(flags & FLAG.circle) !== 0 && (
            <span className="quiet" title="Its parents lead back to it; the circle is cut here">
              circle cut
            </span>
          )}
        </div>
        <span className="right" role="gridcell">
          {isRunning ? (
            <span className="soft">…</span>
          ) : (
            duration(Number.isNaN(length) ? null : length)
          )}
        </span>
        <span className="right" role="gridcell">
          {count(Number.isNaN(tokens) ? null : tokens)}
        </span>
        <div className={`lane ${typeClass(type)}`} aria-hidden="true">
          {map.cuts().map(({ x }) => (
            <span key={x} className="cut" style={{ left: x }} />
          ))}
          {isFolded ? (
            <Density outline={outline} from={place} until={until} map={map} />
          ) : (
            <Bar outline={outline} place={place} map={map} now={now} />
          )}
        </div>
      </div>
    )
  },
)

const Bar = ({
  outline,
  place,
  map,
  now,
}: {
  outline: Outline
  place: number
  map: TimeMap
  now: number
}) => {
  const start = outline.start[place] ?? Number.NaN
  if (Number.isNaN(start)) return null
  const length = outline.duration[place] ?? Number.NaN
  const flags = outline.flags[place] ?? 0
  const left = map.x(start)
  if (Number.isNaN(length)) {
    if ((flags & FLAG.running) === 0) return <span className="bar mark" style={{ left }} />
    const right = map.x(Math.max(now, start))
    return <span className="bar open" style={{ left, width: Math.max(4, right - left) }} />
  }
  const width = map.x(start + length) - left
  const first = outline.firstToken[place] ?? Number.NaN
  const failed = (flags & FLAG.failed) !== 0 ? ' failed' : ''
  if (width < 2) return <span className={`bar hollow${failed}`} style={{ left, width: 2 }} />
  if (!Number.isNaN(first) && first > 0 && first < length) {
    const middle = map.x(start + first)
    return (
      <>
        <span className="bar pale" style={{ left, width: middle - left }} />
        <span className={`bar${failed}`} style={{ left: middle, width: left + width - middle }} />
      </>
    )
  }
  return <span className={`bar${failed}`} style={{ left, width }} />
}

const MOST_DRAWN = 60

/** What a folded run hides. */
const Density = ({
  outline,
  from,
  until,
  map,
}: {
  outline: Outline
  from: number
  until: number
  map: TimeMap
}) => {
  const bars: { left: number; width: number }[] = []
  const pace = Math.max(1, Math.ceil((until - from) / MOST_DRAWN))
  for (let place = from; place < until; place += pace) {
    const start = outline.start[place] ?? Number.NaN
    if (Number.isNaN(start)) continue
    const length = outline.duration[place] ?? 0
    const left = map.x(start)
    bars.push({ left, width: Math.max(1, map.x(start + (length || 0)) - left) })
  }
  return bars.map(({ left, width }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: bars have no names
    <span key={index} className="bar pale" style={{ left, width }} />
  ))
}

/** The width of an element, as it changes. */
export const useElementWidth = (element: RefObject<HTMLElement | null>): number => {
  const [width, setWidth] = useState(300)
  const seen = useRef(0)
  useEffect(() => {
    const current = element.current
    if (current === null) return
    const observer = new ResizeObserver(([entry]) => {
      const next = Math.round(entry?.contentRect.width ?? 0)
      if (next > 0 && next !== seen.current) {
        seen.current = next
        setWidth(next)
      }
    })
    observer.observe(current)
    return () => observer.disconnect()
  })
  return width
}
