import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { AnyVariables, TypedDocumentNode } from 'urql'
import { useLocation } from 'wouter'
import { useAddress } from '../address/use-address.js'
import { type Loaded, read, useData } from '../data/use-data.js'
import { wordsOf } from '../filter/fields.js'
import { FilterBar } from '../filter/filter-bar.js'
import { type Field, parseFilter, showFilter, toFilters } from '../filter/grammar.js'
import { total } from '../format/number.js'
import { copyText } from '../shell/copy.js'
import { EnvironmentSelect } from '../shell/environment-select.js'
import { useKeys } from '../shell/keys.js'
import { ProblemView } from '../shell/problem-view.js'
import { Top } from '../shell/shell.js'
import { useToast } from '../shell/toasts.js'
import { useColumns } from './columns.js'
import { ColumnsButton } from './columns-button.js'
import { RangeSelect, rangeFilter } from './range-select.js'
import { type Column, type Sort, Table } from './table.js'
import { usePageWidth } from './use-width.js'
import { rememberWalk } from './walk.js'

interface Connection<Row> {
  edges: readonly { node: Row; cursor: string }[]
  pageInfo: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor: string | null
    endCursor: string | null
  }
  totalCount?: number | null
}

export interface ListConfig<Data, Row> {
  title: string
  noun: [one: string, many: string]
  fields: readonly Field[]
  columns: readonly Column<Row>[]
  document: TypedDocumentNode<Data, AnyVariables>
  pick: (data: Data) => Connection<Row>
  keyOf: (row: Row) => string
  hrefOf: (row: Row) => string
  hasOrder?: boolean
  hasEnvironment?: boolean
  empty: ReactNode
  placeholder: string
  /** Conditions that always hold here. */
  always?: readonly object[]
  actions?: ((chosen: readonly Row[], done: () => void) => ReactNode) | undefined
  /** Where the list is part of a page that has a bar of its own. */
  isEmbedded?: boolean
}

const SIZES = ['25', '50', '100', '200']
const POLL_MS = 5000

/** A list with its filter, order, pages and live mark, all of which the address keeps. */
export const ListPage = <Data, Row>(config: ListConfig<Data, Row>) => {
  const { fields, document, pick, keyOf, hrefOf, title, noun } = config
  const address = useAddress()
  const [, navigate] = useLocation()
  const say = useToast()
  const width = usePageWidth()
  const columns = useColumns(title, config.columns)
  const text = address.get('q') ?? ''
  const size = Number(address.get('size') ?? 50)
  const [sortColumn = 'createdAt', sortDirection = 'DESC'] = (address.get('sort') ?? '').split(' ')
  const sort: Sort = {
    column: sortColumn || 'createdAt',
    direction: sortDirection === 'ASC' ? 'ASC' : 'DESC',
  }
  const after = address.get('after')
  const before = address.get('before')
  const environment = config.hasEnvironment ? address.get('env') : undefined
  const range = address.get('range')
  const { conditions, mistakes } = useMemo(
    () => parseFilter(text, fields, wordsOf(fields)),
    [text, fields],
  )
  const filters = useMemo(
    () => [
      ...(config.always ?? []),
      ...toFilters(conditions),
      ...(environment === undefined
        ? []
        : [{ field: 'environment', operator: 'eq', value: environment }]),
      ...rangeFilter(range),
    ],
    [config.always, conditions, environment, range],
  )
  const variables = {
    ...(before === undefined ? { first: size } : { last: size }),
    after,
    before,
    filters,
    ...(config.hasOrder === false ? {} : { orderBy: sort }),
  }
  const list: Loaded<Data> = useData(
    document,
    { ...variables, totalCount: false } as AnyVariables,
    {
      pause: mistakes.length > 0,
    },
  )
  const connection = list.data === undefined ? undefined : pick(list.data)
  // Counted by itself and later, as rows need not wait for their number.
  const counted: Loaded<Data> = useData(
    document,
    { first: 0, filters, totalCount: true } as AnyVariables,
    { pause: mistakes.length > 0 || connection === undefined },
  )
  const rows = useMemo(() => connection?.edges.map(({ node }) => node) ?? [], [connection])
  const newer = useNewer(config, connection, {
    isActive:
      after === undefined &&
      before === undefined &&
      sort.column === 'createdAt' &&
      sort.direction === 'DESC',
    filters,
  })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string>(undefined)
  const active = address.get('row')
  const place = rows.findIndex((row) => keyOf(row) === active)
  const reset = { after: null, before: null, row: null }
  const go = (row: Row | undefined) => {
    if (row === undefined) return
    address.set({ row: keyOf(row) }, { replace: true })
    globalThis.document
      .querySelector(`tr[data-key="${CSS.escape(keyOf(row))}"]`)
      ?.scrollIntoView({ block: 'nearest' })
  }
  const openRow = (row: Row | undefined) => {
    if (row !== undefined) navigate(hrefOf(row))
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
  }
  // With the address of now, so that one comes back to the row that one left.
  useEffect(() => {
    rememberWalk(title, rows.map(hrefOf))
  }, [rows, hrefOf, title, active])
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
    c: async () => {
      if (await copyText(window.location.href)) say('The link is copied.')
    },
    Escape: () => setChosen(new Set()),
  })
  const isEmpty = connection !== undefined && rows.length === 0 && !list.isRefreshing
  const bar = (
    <>
      {config.hasEnvironment && (
        <EnvironmentSelect
          value={environment ?? ''}
          onChange={(env) => address.set({ ...reset, env })}
        />
      )}
      <RangeSelect value={range} onChange={(value) => address.set({ ...reset, range: value })} />
    </>
  )
  return (
    <>
      {!config.isEmbedded && (
        <Top title={title}>
          {bar}
          {newer.isWatching && <span className="live only-wide">live</span>}
        </Top>
      )}
      <div className="list-bar">
        <FilterBar
          fields={fields}
          text={text}
          placeholder={config.placeholder}
          onChange={(q, isTyping) => address.set({ ...reset, q }, { replace: isTyping })}
        />
        {config.isEmbedded && bar}
        {newer.count > 0 && (
          <button
            type="button"
            className="button"
            onClick={() => {
              newer.clear()
              list.refresh()
            }}
          >
            ↑ {newer.count > 99 ? '99+' : newer.count} newer
          </button>
        )}
        <span className="list-count" aria-live="polite">
          {total(counted.data === undefined ? undefined : pick(counted.data).totalCount, ...noun)}
        </span>
        <ColumnsButton
          columns={config.columns}
          shown={columns.shown.map(({ id }) => id)}
          onChoose={columns.choose}
        />
      </div>
      <div className="page">
        {list.problem !== undefined && <ProblemView problem={list.problem} retry={list.refresh} />}
        {isEmpty ? (
          filters.length > (config.always?.length ?? 0) ? (
            <NoMatch
              text={text}
              fields={fields}
              noun={noun[1]}
              others={[environment && `env: ${environment}`, range && `last ${range}`].filter(
                (other) => other !== undefined && other !== '',
              )}
              onChange={(q) => address.set({ ...reset, q })}
              onClear={() => address.set({ ...reset, q: null, env: null, range: null })}
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
            onSort={
              config.hasOrder === false
                ? undefined
                : (column) =>
                    address.set({
                      ...reset,
                      sort:
                        sort.column === column && sort.direction === 'DESC'
                          ? `${column} ASC`
                          : column === 'createdAt'
                            ? null
                            : `${column} DESC`,
                    })
            }
            isDimmed={list.isRefreshing}
            ghosts={list.isLoading && mistakes.length === 0 ? 18 : 0}
            width={width}
          />
        )}
        {connection !== undefined && !isEmpty && (
          <div className="list-foot">
            <button
              type="button"
              className="button"
              disabled={!connection.pageInfo.hasPreviousPage}
              onClick={() =>
                address.set({ after: null, before: connection.pageInfo.startCursor, row: null })
              }
            >
              ‹ {sort.column === 'createdAt' && sort.direction === 'DESC' ? 'newer' : 'before'}
            </button>
            <button
              type="button"
              className="button"
              disabled={!connection.pageInfo.hasNextPage}
              onClick={() =>
                address.set({ before: null, after: connection.pageInfo.endCursor, row: null })
              }
            >
              {sort.column === 'createdAt' && sort.direction === 'DESC' ? 'older' : 'after'} ›
            </button>
            {(after !== undefined || before !== undefined) && (
              <button type="button" className="button plain" onClick={() => address.set(reset)}>
                to the start
              </button>
            )}
            <span className="grow" />
            <label className="row quiet">
              rows
              <select
                className="field"
                value={String(size)}
                onChange={(event) => address.set({ ...reset, size: event.target.value })}
              >
                {SIZES.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            </label>
          </div>
        )}
      </div>
      {config.actions !== undefined && chosen.size > 0 && (
        <div className="selection-bar">
          <span>{chosen.size} selected</span>
          {config.actions(
            rows.filter((row) => chosen.has(keyOf(row))),
            () => {
              setChosen(new Set())
              list.refresh()
            },
          )}
          <button type="button" className="button plain" onClick={() => setChosen(new Set())}>
            Clear
          </button>
        </div>
      )}
    </>
  )
}

/** How many rows came since the page was read; they are announced and never push what is read. */
const useNewer = <Data, Row>(
  { document, pick }: ListConfig<Data, Row>,
  connection: Connection<Row> | undefined,
  { isActive, filters }: { isActive: boolean; filters: readonly object[] },
) => {
  const [count, setCount] = useState(0)
  const first = connection?.pageInfo.startCursor ?? undefined
  useEffect(() => setCount(0), [first, filters])
  useEffect(() => {
    if (!isActive || connection === undefined) return
    const timer = setInterval(async () => {
      if (globalThis.document.visibilityState !== 'visible') return
      const variables = { last: 100, before: first, filters, totalCount: false } as AnyVariables
      const data = await read(document, variables).catch(() => undefined)
      if (data !== undefined) setCount(pick(data).edges.length)
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [isActive, first, filters, document, pick, connection])
  return { count, clear: () => setCount(0), isWatching: isActive }
}

const NoMatch = ({
  text,
  fields,
  noun,
  others,
  onChange,
  onClear,
}: {
  text: string
  fields: readonly Field[]
  noun: string
  others: readonly (string | undefined)[]
  onChange: (text: string) => void
  onClear: () => void
}) => {
  const { conditions } = parseFilter(text, fields, wordsOf(fields))
  return (
    <div className="empty">
      <p>No {noun} pass all of this. Drop a condition:</p>
      <div className="row wrap">
        {conditions.map((condition, index) => {
          const shown = showFilter([condition])
          return (
            <button
              type="button"
              className="button mono"
              key={shown}
              onClick={() => onChange(showFilter(conditions.filter((_, at) => at !== index)))}
            >
              {shown} ✕
            </button>
          )
        })}
        <button type="button" className="button" onClick={onClear}>
          Drop all{others.length > 0 ? ` (also ${others.join(', ')})` : ''}
        </button>
      </div>
    </div>
  )
}
