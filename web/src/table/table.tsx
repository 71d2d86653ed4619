import './table.css'
import { type ComponentProps, type ReactNode, useId, useRef } from 'react'
import { useLocation } from 'wouter'
import { useFocusBesideRow } from '../browser/kept-focus.js'
import { Resizer } from './resizer.js'
import { SortSelect } from './sort-select.js'

export interface Column<Row> {
  id: string
  title: string
  /** Pixels; the column without one takes the rest. */
  width?: number
  align?: 'right'
  /** The order in which columns go when there is little room: the highest first, else from the right. */
  drops?: number
  /** The order of the contract that its head asks for. */
  orderBy?: string
  /** Narrow pages show it in the first line of a row. */
  isMain?: boolean
  /** Narrow pages show it in a line of its own. */
  isLine?: boolean
  /** Returns true if a cell is empty, so that a narrow page can leave it out. */
  isBlank?: (row: Row) => boolean
  /** Shows a row; `shows` tells whether the table has room for a column. */
  cell: (row: Row, shows: (id: string) => boolean) => ReactNode
  /** The unit of a figure, for narrow pages, which have no heads. */
  unit?: string | ((row: Row) => string)
}

export interface Sort {
  column: string
  direction: 'ASC' | 'DESC'
}

/** Pixels of a moment in another year, which has its time too, in the widest of the usual fonts. */
export const MOMENT_WIDTH = 152

/** Below this width rows become entries of two lines, which have room for everything. */
const NARROW_WIDTH = 640
/** The least width of the column without a fixed one. */
const MIN_MAIN_WIDTH = 240

/** Returns the columns for which a width has room. */
const fitting = <Row,>(columns: readonly Column<Row>[], width: number): readonly Column<Row>[] => {
  const needs = (some: readonly Column<Row>[]) =>
    some.reduce((sum, column) => sum + (column.width ?? MIN_MAIN_WIDTH), 36)
  let shown = [...columns]
  while (shown.length > 2 && needs(shown) > width) {
    const most = Math.max(...shown.map(({ drops = 0 }) => drops))
    const last = shown.findLastIndex(({ drops = 0, isMain }) => drops === most && !isMain)
    if (last < 0) break
    shown = shown.filter((_, index) => index !== last)
  }
  return shown
}

/** A row that hands the focus on when it goes with it, as after a sheet that deleted what it shows. */
const KeptFocusRow = (attributes: ComponentProps<'tr'>) => {
  const element = useRef<HTMLTableRowElement>(null)
  useFocusBesideRow(element)
  return <tr ref={element} {...attributes} />
}

/** A table of rows. Sorting and paging are the service's. */
export const Table = <Row,>({
  label,
  columns,
  rows,
  keyOf,
  hrefOf,
  activeKey,
  chosen,
  onChoose,
  sort,
  onSort,
  onResize,
  isDimmed = false,
  skeletonRows = 0,
  width,
}: {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  hrefOf?: ((row: Row) => string | undefined) | undefined
  activeKey?: string | undefined
  chosen?: ReadonlySet<string> | undefined
  onChoose?: ((key: string, isRange: boolean) => void) | undefined
  sort?: Sort | undefined
  onSort?: ((column: string) => void) | undefined
  /** Adds a border to columns with a width, which moves it. */
  onResize?: ((column: string, width: number) => void) | undefined
  isDimmed?: boolean
  skeletonRows?: number
  width: number
}) => {
  const [, navigate] = useLocation()
  const tableId = useId()
  const shown = width < NARROW_WIDTH ? columns : fitting(columns, width)
  const shows = (id: string) => shown.some((column) => column.id === id)
  return (
    <table className={`table stacks${isDimmed ? ' dimmed' : ''}`} aria-label={label}>
      {width < NARROW_WIDTH && onSort !== undefined && (
        <SortSelect columns={columns} sort={sort} onSort={onSort} />
      )}
      <colgroup>
        {onChoose !== undefined && <col style={{ width: 36 }} />}
        {shown.map((column) => (
          <col key={column.id} style={column.width === undefined ? {} : { width: column.width }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {onChoose !== undefined && (
            <th scope="col">
              <span className="visually-hidden">Select</span>
            </th>
          )}
          {shown.map(({ id, title, align, orderBy, width: own }) => (
            <th
              key={id}
              scope="col"
              className={align}
              aria-sort={
                orderBy === undefined || sort?.column !== orderBy
                  ? undefined
                  : sort.direction === 'ASC'
                    ? 'ascending'
                    : 'descending'
              }
            >
              {orderBy === undefined || onSort === undefined ? (
                title
              ) : (
                <button type="button" onClick={() => onSort(orderBy)}>
                  {title}
                  {sort?.column === orderBy ? (sort.direction === 'ASC' ? ' ↑' : ' ↓') : ''}
                </button>
              )}
              {onResize !== undefined && own !== undefined && (
                <Resizer title={title} width={own} onResize={(next) => onResize(id, next)} />
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => {
          const key = keyOf(row)
          const href = hrefOf?.(row)
          return (
            <KeptFocusRow
              key={key}
              className={href === undefined ? undefined : 'open'}
              aria-selected={key === activeKey || chosen?.has(key) || undefined}
              data-key={key}
              onClick={(event) => {
                if (href === undefined || event.defaultPrevented) return
                if ((event.target as HTMLElement).closest('a, button, input, select, label')) return
                if (window.getSelection()?.toString()) return
                navigate(href)
              }}
            >
              {onChoose !== undefined && (
                <td className="check-cell">
                  {/* As large as its cell: a press that misses the box would open the row. */}
                  <label>
                    <input
                      type="checkbox"
                      aria-label="Select the row"
                      aria-describedby={`${tableId}-${index}`}
                      checked={chosen?.has(key) ?? false}
                      onChange={(event) =>
                        onChoose(key, (event.nativeEvent as MouseEvent).shiftKey === true)
                      }
                    />
                  </label>
                </td>
              )}
              {shown.map(({ id, align, cell, isMain, isLine, isBlank, unit }) => (
                <td
                  key={id}
                  id={isMain ? `${tableId}-${index}` : undefined}
                  className={[
                    align,
                    isMain && 'main-cell',
                    isLine && 'line-cell',
                    isBlank?.(row) && 'blank',
                  ]
                    .filter(Boolean)
                    .join(' ')}
                >
                  {cell(row, shows)}
                  {unit !== undefined && (
                    <span className="unit">
                      &nbsp;{typeof unit === 'string' ? unit : unit(row)}
                    </span>
                  )}
                </td>
              ))}
            </KeptFocusRow>
          )
        })}
        {Array.from({ length: skeletonRows }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
          <tr key={`skeleton ${index}`} aria-hidden="true">
            {onChoose !== undefined && <td />}
            {shown.map(({ id }) => (
              <td key={id}>
                <span className="skeleton" />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
