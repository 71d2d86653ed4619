import type { AnyVariables } from 'urql'
import { useAddress } from '../address/use-address.js'
import { useActions } from '../browser/actions.js'
import { useKeys } from '../browser/keys.js'
import { usePageWidth } from '../browser/use-width.js'
import { read } from '../data/use-data.js'
import { total } from '../format/number.js'
import { useColumns } from '../table/columns.js'
import { Table } from '../table/table.js'
import { EnvironmentSelect } from '../ui/environment-select.js'
import { Notices } from '../ui/notices.js'
import { ProblemView } from '../ui/problem-view.js'
import { Top } from '../ui/top.js'
import { SelectionBar } from './bulk/selection-bar.js'
import { useSelection } from './bulk/use-selection.js'
import { ListBar } from './list-bar.js'
import type { ListConfig } from './list-config.js'
import { ListFoot, START } from './list-foot.js'
import { NoMatch } from './no-match.js'
import { RangeSelect, rangeInWords } from './range/range-select.js'
import { rowElement, useActiveRow } from './use-active-row.js'
import { useListNotices } from './use-list-notices.js'
import { useListRequest } from './use-list-request.js'
import { useListRows } from './use-list-rows.js'

const focusFilter = () =>
  globalThis.document.querySelector<HTMLInputElement>('[data-filter]')?.focus()

/** A list with its filter, order, pages and live mark, all of which the address keeps. */
export const ListPage = <Data, Row>(config: ListConfig<Data, Row>) => {
  const { language, document, pick, keyOf, hrefOf, title, noun } = config
  const address = useAddress()
  const width = usePageWidth()
  const columns = useColumns(title, config.columns)
  const request = useListRequest(config)
  const { text, query, filters, environment, range, sort, time, mistakes } = request
  const found = useListRows(config, request)
  const { list, connection, rows, matching, newer, problem, unwatched, isEmpty, readAgain } = found
  const selection = useSelection<Row>({
    rows,
    keyOf,
    noun,
    asked: request.asked,
    mistakes,
    matching,
    readPage: async (first, after) =>
      pick(
        await read(document, {
          first,
          after,
          ...request.ordered,
          totalCount: false,
        } as AnyVariables),
      ),
    onMore: found.counted.refresh,
  })
  const { scope } = selection
  const active = useActiveRow(rows, config)
  const notices = useListNotices({
    size: request.size,
    ...request.said,
    isEmbedded: config.isEmbedded === true,
    isRowThere: connection === undefined || list.isRefreshing ? undefined : active.isThere,
  })
  useKeys({
    j: active.next,
    ArrowDown: active.next,
    k: active.previous,
    ArrowUp: active.previous,
    Enter: active.open,
    x: () => {
      if (active.row !== undefined && config.actions !== undefined)
        selection.choose(keyOf(active.row), false)
    },
    '/': focusFilter,
    Escape: selection.clear,
  })
  useActions([
    { name: `Filter the ${noun[1]}`, key: '/', run: focusFilter },
    text !== '' && {
      name: 'Clear the filter',
      run: () => address.set({ ...START, q: null }),
    },
    config.actions !== undefined &&
      rows.length > 0 && {
        name: `Select all ${noun[1]} of this page`,
        run: selection.choosePage,
      },
    { name: 'Read the list again', run: readAgain },
  ])
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
              {unwatched === undefined ? (
                <span className="live only-wide">live</span>
              ) : (
                <span className="soft" title={unwatched.message}>
                  not live
                </span>
              )}
            </span>
          )}
        </Top>
      )}
      <ListBar
        config={config}
        request={request}
        found={found}
        columns={columns}
        onDown={active.enter}
      >
        {config.isEmbedded && bar}
      </ListBar>
      <div className="page" onClickCapture={({ target }) => active.mark(target as HTMLElement)}>
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
              others={[environment && `env: ${environment}`, range && rangeInWords(range)].filter(
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
            activeKey={active.key}
            chosen={selection.chosen}
            onChoose={config.actions === undefined ? undefined : selection.choose}
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
            skeletonRows={list.isLoading && mistakes === 0 ? 18 : 0}
            width={width}
          />
        )}
        {connection !== undefined && !isEmpty && (
          <ListFoot
            pageInfo={connection.pageInfo}
            isNewestFirst={request.isNewestFirst}
            isStart={request.isStart}
            size={request.size}
            onChange={address.set}
          />
        )}
      </div>
      {config.actions !== undefined && (scope.isAll || scope.size > 0) && (
        <SelectionBar
          told={
            scope.isAll ? `all ${total(scope.size, ...noun)} that match` : `${scope.size} selected`
          }
          onAll={
            scope.isAll || connection === undefined || mistakes > 0
              ? undefined
              : matching === null
                ? null
                : selection.chooseMatching
          }
          onClear={() => {
            selection.clear()
            // The bar goes, and would leave the focus to the page.
            const row =
              rowElement(selection.last() ?? '') ??
              globalThis.document.querySelector('tr[data-key]')
            row?.querySelector('input')?.focus()
          }}
        >
          {config.actions(scope, () => {
            selection.clear()
            readAgain()
          })}
        </SelectionBar>
      )}
    </>
  )
}
