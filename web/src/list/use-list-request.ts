import { useMemo } from 'react'
import { useAddress } from '../address/use-address.js'
import { parseFilter } from '../filter/language.js'
import { queryText } from '../filter/query-text.js'
import type { Sort } from '../table/table.js'
import type { ListConfig } from './list-config.js'
import { isPageSize } from './list-foot.js'
import { ordersOf } from './orders.js'
import { useRangeFilter } from './range/use-range-filter.js'

const DEFAULT_SIZE = 50

type Asking = Pick<
  ListConfig<never, never>,
  'subject' | 'language' | 'hasEnvironment' | 'always'
> & { startOf?: unknown }

/**
 * Reads from the address what a list is asked for. `asked` and `ordered` stay the same objects while the address says the
 * same, so that effects may depend on them.
 */
export const useListRequest = ({ subject, language, hasEnvironment, always, startOf }: Asking) => {
  const address = useAddress()
  const text = address.get('q') ?? ''
  const wanted = Number(address.get('size') ?? DEFAULT_SIZE)
  const size = isPageSize(wanted) ? wanted : DEFAULT_SIZE
  const time = startOf === undefined ? 'createdAt' : 'startedAt'
  const [sortColumn = '', sortDirection] = (address.get('sort') ?? '').split(' ')
  const orders = ordersOf(subject)
  // An order that the list lacks is an error of each request, which no other attempt repairs.
  const isOrder = sortColumn === '' || orders.includes(sortColumn)
  const column = isOrder ? sortColumn || time : time
  const direction = isOrder && sortDirection === 'ASC' ? 'ASC' : 'DESC'
  const after = address.get('after')
  const before = address.get('before')
  const environment = hasEnvironment ? address.get('env') : undefined
  const range = address.get('range')
  const rangeFilters = useRangeFilter(range, time)
  const { nodes, mistakes } = useMemo(() => parseFilter(text, language), [text, language])
  const query = useMemo(() => queryText(nodes), [nodes])
  const filters = useMemo(
    () => [
      ...(always ?? []),
      ...(environment === undefined
        ? []
        : [{ field: 'environment', operator: 'eq', value: environment }]),
      ...rangeFilters,
    ],
    [always, environment, rangeFilters],
  )
  const asked = useMemo(() => ({ filters, query }), [filters, query])
  const ordered = useMemo(
    () => ({ ...asked, orderBy: { column, direction } }),
    [asked, column, direction],
  )
  const sort: Sort = { column, direction }
  return {
    /** The filter as text, and what the service is asked by it. */
    text,
    query,
    filters,
    /** The number of places in the filter that can't be understood. */
    mistakes: mistakes.length,
    environment,
    range,
    /** Conditions, without and with the order. */
    asked,
    ordered,
    sort,
    /** The column by which a list goes that has no other order. */
    time,
    isNewestFirst: column === time && direction === 'DESC',
    /** The order as the address has it, and those that the list has. */
    said: { column: sortColumn || undefined, direction: sortDirection, orders },
    size,
    before,
    isStart: after === undefined && before === undefined,
    page: {
      ...(before === undefined ? { first: size } : { last: size }),
      after,
      before,
      ...ordered,
    },
  }
}

export type ListRequest = ReturnType<typeof useListRequest>
