import { useState } from 'react'
import { ViewsDocument } from '../../generated/operations.js'
import { choiceNotices, missingNotice, noticeOf } from '../address/notices.js'
import { useAddress } from '../address/use-address.js'
import { useData } from '../data/use-data.js'
import { isPageSize, MAX_PAGE_SIZE } from './list-foot.js'
import { rangeNotices } from './range/use-span.js'

/** Names parameters of the address of a list that say nothing, and what it shows instead. */
export const useListNotices = ({
  size,
  column,
  orders,
  direction,
  isEmbedded,
  isRowThere,
}: {
  /** The number of rows that stands in. */
  size: number
  /** The column of the order, as the address has it. */
  column: string | undefined
  /** The columns by which the list can be ordered. */
  orders: readonly string[]
  /** The direction of the order, as the address has it. */
  direction: string | undefined
  isEmbedded: boolean
  /** Undefined until the rows are read. */
  isRowThere: boolean | undefined
}): readonly string[] => {
  const address = useAddress()
  const views = useData(ViewsDocument, {}, { pause: isEmbedded })
  const asked = address.get('size')
  const view = address.get('view')
  const row = address.get('row')
  // Rows that are chosen later may go at any time, as by a deletion.
  const [opened] = useState(row)
  return [
    ...rangeNotices(address.get('range')),
    ...(asked !== undefined && !isPageSize(Number(asked))
      ? [
          noticeOf(
            'number of rows',
            asked,
            `a whole number from 1 to ${MAX_PAGE_SIZE}`,
            `These are up to ${size}.`,
          ),
        ]
      : []),
    ...choiceNotices('order', column, orders, 'The newest come first.'),
    ...(direction !== undefined && !['ASC', 'DESC'].includes(direction)
      ? [noticeOf('direction', direction, 'ASC or DESC', 'The highest come first.')]
      : []),
    ...(view !== undefined &&
    !isEmbedded &&
    views.data !== undefined &&
    !views.isRefreshing &&
    views.data.views.every(({ id }) => id !== view)
      ? [missingNotice('view', view)]
      : []),
    ...(row !== undefined && row === opened && isRowThere === false
      ? ['The row of this address is not among those below: it was deleted, or it moved.']
      : []),
  ]
}
