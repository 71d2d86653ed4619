import { useEffect, useMemo, useRef, useState } from 'react'
import type { AnyVariables } from 'urql'
import { useLocation } from 'wouter'
import { useAddress } from '../address/use-address.js'
import { useChoice } from '../address/use-choice.js'
import { useActions } from '../browser/actions.js'
import { useKeys } from '../browser/keys.js'
import { usePageWidth } from '../browser/use-width.js'
import { type Loaded, read, useData } from '../data/use-data.js'
import { FilterBar } from '../filter/filter-bar.js'
import { parseFilter } from '../filter/language.js'
import { queryText } from '../filter/query-text.js'
import { total } from '../format/number.js'
import { useColumns } from '../table/columns.js'
import { ColumnsButton } from '../table/columns-button.js'
import { type Sort, Table } from '../table/table.js'
import { EnvironmentSelect } from '../ui/environment-select.js'
import { Notices } from '../ui/notices.js'
import { ProblemView } from '../ui/problem-view.js'
import { Top } from '../ui/top.js'
import { MAX_ROWS, readRows, type Scope } from './bulk/scope.js'
import { SelectionBar } from './bulk/selection-bar.js'
import { DownloadButton } from './download-button.js'
import type { ListConfig } from './list-config.js'
import { isPageSize, ListFoot, START } from './list-foot.js'
import { rememberNeighbours } from './neighbours.js'
import { NoMatch } from './no-match.js'
import { ordersOf } from './orders.js'
import { RangeSelect } from './range/range-select.js'
import { useRangeFilter } from './range/use-range-filter.js'
import { useListNotices } from './use-list-notices.js'
import { useNewer } from './use-newer.js'
import { ViewsButton } from './views-button.js'

const DEFAULT_SIZE = 50

const rowOf = (key: string) =>
  globalThis.document.querySelector(`tr[data-key="${CSS.escape(key)}"]`)

/** A list with its filter, order, pages and live mark, all of which the address keeps. */
export const ListPage = <Data, Row>(config: ListConfig<Data, Row>) => {
  const { language, document, pick, keyOf, hrefOf, title, noun } = config
  const address = useAddress()
  const [, navigate] = useLocation()
  const width = usePageWidth()
  const columns = useColumns(title, config.columns)
  const text = address.get('q') ?? ''
  const wanted = Number(address.get('size') ?? DEFAULT_SIZE)
  const size = isPageSize(wanted) ? wanted : DEFAULT_SIZE
  const time = config.startOf === undefined ? 'createdAt' : 'startedAt'
  const [sortColumn = '', sortDirection] = (address.get('sort') ?? '').split(' ')
  const orders = ordersOf(config.subject)
  // An order that the list lacks is an error of each request, which no other attempt repairs.
  const isOrder = sortColumn === '' || orders.includes(sortColumn)
  const sort: Sort = {
    column: isOrder ? sortColumn || time : time,
    direction: isOrder && sortDirection === 'ASC' ? 'ASC' : 'DESC',
  }
  const after = address.get('after')
  const before = address.get('before')
  const environment = config.hasEnvironment ? address.get('env') : undefined
  const range = address.get('range')
  const rangeFilters = useRangeFilter(range, time)
  const { nodes, mistakes } = useMemo(() => parseFilter(text, language), [text, language])
  const query = useMemo(() => queryText(nodes), [nodes])
  const filters = useMemo(
    () => [
      ...(config.always ?? []),
      ...(environment === undefined
        ? []
        : [{ field: 'environment', operator: 'eq', value: environment }]),
      ...rangeFilters,
    ],
    [config.always, environment, rangeFilters],
  )
  const asked = useMemo(() => ({ filters, query }), [filters, query])
  const { column, direction } = sort
  const ordered = useMemo(
    () => ({ ...asked, orderBy: { column, direction } }),
    [asked, column, direction],
  )
  const variables = {
    ...(before === undefined ? { first: size } : { last: size }),
    after,
    before,
    ...ordered,
  }
  const list: Loaded<Data> = useData(
    document,
    { ...variables, totalCount: false } as AnyVariables,
    {
      pause: mistakes.length > 0,
    },
  )
  const connection = list.data === undefined ? undefined : pick(list.data)
  // Counted separately and later, as rows need not wait for their number.
  const counted: Loaded<Data> = useData(
    document,
    { first: 0, ...asked, totalCount: true } as AnyVariables,
    { pause: mistakes.length > 0 || connection === undefined },
  )
  const rows = useMemo(() => connection?.edges.map(({ node }) => node) ?? [], [connection])
  const isNewestFirst = sort.column === time && sort.direction === 'DESC'
  const isStart = after === undefined && before === undefined
  // Going back page by page leads to the newest rows too.
  const isNewest =
    isStart ||
    (before !== undefined && !list.isPrevious && connection?.pageInfo.hasPreviousPage === false)
  const newer = useNewer(config, connection, {
    isActive: isNewest && isNewestFirst,
    asked: ordered,
  })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  // Actions apply to visible rows alone.
  const picked = rows.filter((row) => chosen.has(keyOf(row)))
  const [isAllChosen, setAllChosen] = useState(false)
  const clear = () => {
    setChosen(new Set())
    setAllChosen(false)
  }
  // Another filter matches other rows.
  useEffect(() => setAllChosen(false), [asked, mistakes.length])
  const matching =
    counted.data === undefined || counted.isPrevious ? null : pick(counted.data).totalCount
  const isAll = isAllChosen && matching != null
  const scope: Scope<Row> = isAll
    ? {
        size: matching,
        isAll: true,
        rows: [],
        load: async (signal) => {
          const announced = scope.size
          const all = await readRows<Row>(
            async (first, afterRow) =>
              pick(
                await read(document, {
                  first,
                  after: afterRow,
                  ...ordered,
                  totalCount: false,
                } as AnyVariables),
              ),
            keyOf,
            MAX_ROWS,
            signal,
          )
          // Nobody has agreed to more than was announced; larger numbers are estimates.
          if (announced < MAX_ROWS && all.length > announced) {
            counted.refresh()
            throw new Error(
              `Now ${total(all.length, ...noun)} match, more than before. Look again, and repeat it.`,
            )
          }
          return all
        },
      }
    : { size: picked.length, isAll: false, rows: picked, load: async () => picked }
  const readAgain = () => {
    list.refresh()
    counted.refresh()
  }
  const last = useRef<string>(undefined)
  const choice = useChoice('row')
  const active = choice.chosen
  const place = rows.findIndex((row) => keyOf(row) === active)
  const go = (row: Row | undefined) => {
    if (row === undefined) return
    choice.go(keyOf(row))
    rowOf(keyOf(row))?.scrollIntoView({ block: 'nearest' })
  }
  // Rows of a session that is over stay, and say so.
  const problem =
    list.problem ?? (newer.problem?.code === 'UNAUTHENTICATED' ? newer.problem : undefined)
  const notices = useListNotices({
    size,
    column: sortColumn || undefined,
    orders,
    direction: sortDirection,
    isEmbedded: config.isEmbedded === true,
    isRowThere: connection === undefined || list.isRefreshing ? undefined : place >= 0,
  })
  const remember = () => rememberNeighbours(title, rows.map(hrefOf))
  /** Keeps the row that a click leads away from in the address, so that Back returns to it. */
  const mark = (target: HTMLElement) => {
    const key = target.closest('input') === null && target.closest<HTMLElement>('tr[data-key]')
    if (key && key.dataset.key !== undefined) choice.mark(key.dataset.key)
  }
  const openRow = (row: Row | undefined) => {
    if (row === undefined) return
    choice.flush()
    remember()
    navigate(hrefOf(row))
  }
  const choose = (key: string, isRange: boolean) => {
    const keys = rows.map(keyOf)
    const next = new Set(chosen)
    const from = keys.indexOf(last.current ?? '')
    const to = keys.indexOf(key)
    if (isRange && from >= 0)
      for (const one of keys.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(one)
    else if (!next.delete(key)) next.add(key)
    last.current = key
    setChosen(next)
    setAllChosen(false)
  }
  const isThere = place >= 0
  useEffect(() => {
    if (isThere) rowOf(active ?? '')?.scrollIntoView({ block: 'nearest' })
  }, [isThere])
  // With the current address, so that Back leads to the last row.
  useEffect(remember, [rows, hrefOf, title, address.get('row')])
  useKeys({
    j: () => go(rows[Math.min(place + 1, rows.length - 1)]),
    ArrowDown: () => go(rows[Math.min(place + 1, rows.length - 1)]),
    k: () => go(rows[Math.max(place - 1, 0)]),
    ArrowUp: () => go(rows[Math.max(place - 1, 0)]),
    Enter: () => openRow(rows[place]),
    x: () => {
      const row = rows[place]
      if (row !== undefined && config.actions !== undefined) choose(keyOf(row), false)
    },
    '/': () => globalThis.document.querySelector<HTMLInputElement>('[data-filter]')?.focus(),
    Escape: clear,
  })
  useActions([
    {
      name: `Filter the ${noun[1]}`,
      key: '/',
      run: () => globalThis.document.querySelector<HTMLInputElement>('[data-filter]')?.focus(),
    },
    text !== '' && {
      name: 'Clear the filter',
      run: () => address.set({ ...START, q: null }),
    },
    config.actions !== undefined &&
      rows.length > 0 && {
        name: `Select all ${noun[1]} of this page`,
        run: () => setChosen(new Set(rows.map(keyOf))),
      },
    { name: 'Read the list again', run: readAgain },
  ])
  const isEmpty =
    connection !== undefined && rows.length === 0 && !list.isRefreshing && !list.isPrevious
  const bar = (
    <>
      {config.hasEnvironment && (
        <EnvironmentSelect
          value={environment ?? ''}
          onChange={(env) => address.set({ ...START, env })}
        />
      )}
      <RangeSelect value={range} onChange={(value) => address.set({ ...START, range: value })} />
    </>
  )
  return (
    <>
      {!config.isEmbedded && (
        <Top title={title}>
          {bar}
          {newer.isWatching && (
            <span role="status">
              {newer.problem === undefined ? (
                <span className="live only-wide">live</span>
              ) : (
                <span className="soft" title={newer.problem.message}>
                  not live
                </span>
              )}
            </span>
          )}
        </Top>
      )}
      <div className="list-bar">
        <FilterBar
          language={language}
          text={text}
          placeholder={config.placeholder}
          onChange={(q, isTyping) => {
            // The same filter again keeps the place in the list.
            if (q !== text) address.set({ ...START, q }, { replace: isTyping })
          }}
          onDown={() => go(rows[Math.max(place, 0)])}
        />
        {config.isEmbedded && bar}
        {newer.count > 0 && (
          <button
            type="button"
            className="button"
            onClick={() => {
              newer.clear()
              if (!isStart) address.set(START)
              readAgain()
            }}
          >
            ↑ {newer.count > 99 ? '99+' : newer.count} newer
          </button>
        )}
        <span className="list-count" aria-live="polite">
          {counted.problem === undefined ? total(matching, ...noun) : 'not counted'}
        </span>
        {counted.problem !== undefined && (
          <button type="button" className="button plain small" onClick={counted.refresh}>
            Count again
          </button>
        )}
        {config.exported !== undefined && (
          <DownloadButton
            list={config.exported}
            query={query}
            filters={filters}
            orderBy={sort}
            counted={total(matching, ...noun)}
            noun={noun[1]}
            isDisabled={mistakes.length > 0 || isEmpty}
          />
        )}
        {!config.isEmbedded && <ViewsButton key={title} subject={config.subject} />}
        <ColumnsButton
          columns={config.columns}
          shown={columns.shown.map(({ id }) => id)}
          onChoose={columns.choose}
        />
      </div>
      <div className="page" onClickCapture={({ target }) => mark(target as HTMLElement)}>
        <Notices texts={notices} />
        {problem !== undefined && (
          <ProblemView
            problem={problem}
            retry={list.refresh}
            note={
              list.isPrevious || list.problem === undefined
                ? `The ${noun[1]} below are not up to date.`
                : undefined
            }
          />
        )}
        {isEmpty ? (
          query !== undefined || filters.length > (config.always?.length ?? 0) ? (
            <NoMatch
              text={text}
              language={language}
              noun={noun[1]}
              others={[environment && `env: ${environment}`, range && `last ${range}`].filter(
                (other) => other !== undefined && other !== '',
              )}
              onChange={(q) => address.set({ ...START, q })}
              onClear={() => address.set({ ...START, q: null, env: null, range: null })}
            />
          ) : (
            <div className="empty">{config.empty}</div>
          )
        ) : (
          <Table
            label={title}
            columns={columns.shown}
            onResize={columns.resize}
            rows={rows}
            keyOf={keyOf}
            hrefOf={hrefOf}
            activeKey={active}
            chosen={chosen}
            onChoose={config.actions === undefined ? undefined : choose}
            sort={sort}
            onSort={(column) =>
              address.set({
                ...START,
                sort:
                  sort.column === column && sort.direction === 'DESC'
                    ? `${column} ASC`
                    : column === time
                      ? null
                      : `${column} DESC`,
              })
            }
            isDimmed={list.isRefreshing || list.isPrevious}
            skeletonRows={list.isLoading && mistakes.length === 0 ? 18 : 0}
            width={width}
          />
        )}
        {connection !== undefined && !isEmpty && (
          <ListFoot
            pageInfo={connection.pageInfo}
            isNewestFirst={isNewestFirst}
            isStart={isStart}
            size={size}
            onChange={address.set}
          />
        )}
      </div>
      {config.actions !== undefined && (picked.length > 0 || isAll) && (
        <SelectionBar
          told={
            isAll ? `all ${total(scope.size, ...noun)} that match` : `${picked.length} selected`
          }
          onAll={
            isAll || connection === undefined || mistakes.length > 0
              ? undefined
              : matching == null
                ? null
                : () => setAllChosen(true)
          }
          onClear={() => {
            clear()
            // The bar goes, and would leave the focus to the page.
            const row =
              rowOf(last.current ?? '') ?? globalThis.document.querySelector('tr[data-key]')
            row?.querySelector('input')?.focus()
          }}
        >
          {config.actions(scope, () => {
            clear()
            readAgain()
          })}
        </SelectionBar>
      )}
    </>
  )
}
