import {
  type CSSProperties,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { plural } from '../../../format/number.js'
import type { Outline } from '../outline/outline.js'
import type { Places } from '../outline/places.js'
import { placeOfRow } from '../outline/rows.js'
import { subtreeSums } from '../outline/sums.js'
import { Axis } from './axis.js'
import type { TimeMap } from './time-map.js'
import { Row } from './tree-row.js'

/** Rows beyond the visible ones: as many as a fling scrolls by in three frames. */
const OVERSCAN = 30
/** Rows that are printed: about a hundred pages of paper. */
const MAX_PRINTED = 5000

/** A window of rows of fixed height: mounts about as many as are visible. */
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
  onSlowest,
  scroller,
  laneRef,
}: {
  outline: Outline
  rows: Int32Array
  /** The row that is selected; -1 for none. */
  selected: number
  closed: ReadonlySet<number>
  hits: Places | undefined
  map: TimeMap
  /** Milliseconds since the first step started, for steps that still run. */
  now: number
  rowHeight: number
  onSelect: (row: number) => void
  onToggle: (row: number) => void
  /** Leads to the slowest of folded steps. */
  onSlowest: (place: number) => void
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
      // The mounted rows still suffice.
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
  useEffect(() => {
    const print = () => flushSync(() => setRange([0, MAX_PRINTED]))
    window.addEventListener('beforeprint', print)
    window.addEventListener('afterprint', update)
    return () => {
      window.removeEventListener('beforeprint', print)
      window.removeEventListener('afterprint', update)
    }
  }, [update])
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || selected < 0) return
    const top = selected * rowHeight
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight
  }, [selected, rowHeight, scroller])
  const sums = useMemo(
    () => ({
      tokens: subtreeSums(outline, outline.tokens),
      costs: hasCosts(outline) ? subtreeSums(outline, outline.cost) : undefined,
    }),
    [outline],
  )
  const costs = sums.costs === undefined ? '' : ' with-costs'
  const cuts = useMemo(() => cutsImage(map), [map])
  const [from, to] = range
  const shown: number[] = []
  for (let row = Math.min(from, rows.length); row < Math.min(to, rows.length); row++)
    shown.push(row)
  // The selected row has the focus, and must be mounted for screen readers.
  if (selected >= 0 && selected < rows.length && (selected < from || selected >= to))
    shown.push(selected)
  return (
    <>
      <div className={`tree-head${costs}`} aria-hidden="true">
        <span>Name</span>
        <span className="right">Dur.</span>
        <span className="right">Tok</span>
        {sums.costs !== undefined && <span className="right cost-cell">Cost</span>}
        <Axis map={map} laneRef={laneRef} />
      </div>
      <div
        ref={scroller}
        className={`tree${costs}`}
        role="treegrid"
        aria-label="Steps"
        aria-rowcount={rows.length}
        tabIndex={0}
        aria-activedescendant={selected >= 0 ? `row-${selected}` : undefined}
        style={{ '--cuts': cuts } as CSSProperties}
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
            sums={sums}
            now={now}
            top={row * rowHeight}
            onSelect={onSelect}
            onToggle={onToggle}
            onSlowest={onSlowest}
          />
        ))}
      </div>
      {rows.length > MAX_PRINTED && (
        <p className="print-only">and {plural(rows.length - MAX_PRINTED, 'more row')}</p>
      )}
    </>
  )
}

/** Returns true when a step has a cost, or a call that should have one has no price. */
const hasCosts = (outline: Outline): boolean =>
  outline.cost.some((cost) => !Number.isNaN(cost)) || outline.unpriced.some((calls) => calls > 0)

/** Returns a picture of all cuts, which every row has behind it: an element for each would be thousands. */
const cutsImage = (map: TimeMap): string => {
  const cuts = map.cuts()
  if (cuts.length === 0) return 'none'
  const stops = cuts.map(({ x }) => {
    const [left, right] = [x.toFixed(1), (x + map.cutWidth).toFixed(1)]
    return `transparent ${left}px, var(--sunken) ${left}px ${right}px, transparent ${right}px`
  })
  return `linear-gradient(90deg, ${stops.join(', ')})`
}
