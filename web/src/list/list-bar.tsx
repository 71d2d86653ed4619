import type { ReactNode } from 'react'
import { useAddress } from '../address/use-address.js'
import { FilterBar } from '../filter/filter-bar.js'
import { total } from '../format/number.js'
import type { useColumns } from '../table/columns.js'
import { ColumnsButton } from '../table/columns-button.js'
import type { Column } from '../table/table.js'
import { DownloadButton } from './download-button.js'
import type { ListConfig } from './list-config.js'
import { START } from './list-foot.js'
import type { ListRequest } from './use-list-request.js'
import type { ListRows } from './use-list-rows.js'
import { ViewsButton } from './views-button.js'

/** The filter of a list, the number of its rows, and what can be done with the list as a whole. */
export const ListBar = <Data, Row>({
  config,
  request,
  found: { counted, matching, newer, isEmpty, readAgain },
  columns,
  onDown,
  children,
}: {
  config: ListConfig<Data, Row>
  request: ListRequest
  found: ListRows<Data, Row>
  columns: ReturnType<typeof useColumns<Column<Row>>>
  /** Called when the key for the rows is pressed in the filter. */
  onDown: () => void
  children: ReactNode
}) => {
  const address = useAddress()
  const { title, noun } = config
  return (
    <div className="list-bar">
      <FilterBar
        language={config.language}
        text={request.text}
        placeholder={config.placeholder}
        onChange={(q, isTyping) => {
          // The same filter again keeps the place in the list.
          if (q !== request.text) address.set({ ...START, q }, { replace: isTyping })
        }}
        onDown={onDown}
      />
      {children}
      {newer.count > 0 && (
        <button
          type="button"
          className="button"
          onClick={() => {
            newer.clear()
            if (!request.isStart) address.set(START)
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
          query={request.query}
          filters={request.filters}
          orderBy={request.sort}
          counted={total(matching, ...noun)}
          noun={noun[1]}
          isDisabled={request.mistakes > 0 || isEmpty}
        />
      )}
      {!config.isEmbedded && <ViewsButton key={title} subject={config.subject} />}
      <ColumnsButton
        columns={config.columns}
        shown={columns.shown.map(({ id }) => id)}
        onChoose={columns.choose}
      />
    </div>
  )
}
