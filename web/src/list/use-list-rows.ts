import { useMemo } from 'react'
import type { AnyVariables } from 'urql'
import { type Loaded, useData } from '../data/use-data.js'
import type { ListConfig } from './list-config.js'
import type { ListRequest } from './use-list-request.js'
import { useNewer } from './use-newer.js'

/** Reads a page of a list, the number of rows that match, and that of those which came since. */
export const useListRows = <Data, Row>(config: ListConfig<Data, Row>, request: ListRequest) => {
  const { document, pick } = config
  const { asked, ordered, mistakes, isStart, before } = request
  const list: Loaded<Data> = useData(
    document,
    { ...request.page, totalCount: false } as AnyVariables,
    { pause: mistakes > 0 },
  )
  const connection = list.data === undefined ? undefined : pick(list.data)
  // Counted separately and later, as rows need not wait for their number.
  const counted: Loaded<Data> = useData(
    document,
    { first: 0, ...asked, totalCount: true } as AnyVariables,
    { pause: mistakes > 0 || connection === undefined },
  )
  const rows = useMemo(() => connection?.edges.map(({ node }) => node) ?? [], [connection])
  // Going back page by page leads to the newest rows too.
  const isNewest =
    isStart ||
    (before !== undefined && !list.isPrevious && connection?.pageInfo.hasPreviousPage === false)
  const newer = useNewer(config, connection, {
    isActive: isNewest && request.isNewestFirst,
    asked: ordered,
  })
  return {
    list,
    connection,
    rows,
    counted,
    /** The number of rows that match; null while it is unknown. */
    matching:
      counted.data === undefined || counted.isPrevious
        ? null
        : (pick(counted.data).totalCount ?? null),
    newer,
    /** The reason why newer rows would not be announced: a list that was not read is not watched either. */
    unwatched: list.problem ?? newer.problem,
    // Rows of a session that is over stay, and say so.
    problem:
      list.problem ?? (newer.problem?.code === 'UNAUTHENTICATED' ? newer.problem : undefined),
    isEmpty:
      connection !== undefined && rows.length === 0 && !list.isRefreshing && !list.isPrevious,
    readAgain: () => {
      list.refresh()
      counted.refresh()
    },
  }
}

export type ListRows<Data, Row> = ReturnType<typeof useListRows<Data, Row>>
