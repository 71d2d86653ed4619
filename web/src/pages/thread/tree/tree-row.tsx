import { memo } from 'react'
import { FLAG } from '../../../../../generated/outline-flags.js'
import { count, plural } from '../../../format/number.js'
import { line } from '../../../format/text.js'
import { duration } from '../../../format/time.js'
import { Icon, TypeIcon, typeClass, typeName } from '../../../ui/icons.js'
import { alikeFacts } from '../outline/alike.js'
import type { Outline } from '../outline/outline.js'
import { isFold, placeOfRow } from '../outline/rows.js'
import { Bar, Density } from './bars.js'
import { type RowSums, SumCells } from './sum-cells.js'
import type { TimeMap } from './time-map.js'

const MAX_INDENT = 12

interface RowProps {
  row: number
  code: number
  outline: Outline
  isSelected: boolean
  isClosed: boolean
  isHit: boolean
  isContext: boolean
  map: TimeMap
  sums: RowSums
  now: number
  top: number
  onSelect: (row: number) => void
  onToggle: (row: number) => void
  onSlowest: (place: number) => void
}

export const Row = memo(
  ({
    row,
    code,
    outline,
    isSelected,
    isClosed,
    isHit,
    isContext,
    map,
    sums,
    now,
    top,
    onSelect,
    onToggle,
    onSlowest,
  }: RowProps) => {
    const place = placeOfRow(code)
    const isFolded = isFold(code)
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
    const alike = isFolded ? alikeFacts(outline, place) : undefined
    const length = alike?.median ?? outline.duration[place] ?? Number.NaN
    const start = outline.start[place] ?? Number.NaN
    const said = [
      name,
      typeName(type),
      alike === undefined ? '' : `${alike.count} alike`,
      alike === undefined || alike.outliers === 0
        ? ''
        : `${plural(alike.outliers, 'outlier')}, the slowest ${duration(alike.slowestMs)}`,
      failed ? 'failed' : '',
      isRunning ? 'no end recorded' : duration(Number.isNaN(length) ? null : length),
      Number.isNaN(start) ? '' : `starts at ${duration(start)}`,
      isClosed ? `hides ${size - 1} steps${errors > 0 ? `, ${errors} failed` : ''}` : '',
    ]
      .filter((part) => part !== '')
      .join(', ')
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keys
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
          style={{ paddingLeft: 4 + Math.min(depth, MAX_INDENT) * 12 }}
        >
          {hasChildren || isFolded ? (
            <button
              type="button"
              tabIndex={-1}
              className="disclosure"
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
          {depth > MAX_INDENT && <span className="quiet">{depth}</span>}
          <bdi className={`clip step-name${failed ? ' bad' : ''}`}>{name}</bdi>
          {alike !== undefined && <span className="soft">×{alike.count}</span>}
          {alike !== undefined && alike.outliers > 0 && (
            <button
              type="button"
              tabIndex={-1}
              className="outliers clip"
              title={`${plural(alike.outliers, 'outlier')}; shows the slowest one, of ${duration(alike.slowestMs)}`}
              onClick={(event) => {
                event.stopPropagation()
                onSlowest(alike.slowest)
              }}
            >
              {plural(alike.outliers, 'outlier')} {duration(alike.slowestMs)}
            </button>
          )}
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
        <span
          className="right"
          role="gridcell"
          title={
            alike === undefined
              ? undefined
              : `The middle one of ${alike.count}; the slowest took ${duration(alike.slowestMs)}`
          }
        >
          {alike !== undefined && !Number.isNaN(length) && '≈ '}
          {isRunning ? (
            <span className="soft">…</span>
          ) : (
            duration(Number.isNaN(length) ? null : length)
          )}
        </span>
        <SumCells outline={outline} place={place} until={until} isFolded={isFolded} sums={sums} />
        <div className={`lane ${typeClass(type)}`} aria-hidden="true">
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
