import { useEffect, useState } from 'react'
import type { AnyVariables } from 'urql'
import { read } from '../data/use-data.js'
import type { Connection, ListConfig } from './list-config.js'

const POLL_MS = 5000

/** Counts the rows that came since the page was read; announces them without moving the rows that are being read. */
export const useNewer = <Data, Row>(
  { document, pick }: ListConfig<Data, Row>,
  connection: Connection<Row> | undefined,
  { isActive, filters }: { isActive: boolean; filters: readonly object[] },
) => {
  const [count, setCount] = useState(0)
  const first = connection?.pageInfo.startCursor ?? undefined
  useEffect(() => setCount(0), [first, filters])
  useEffect(() => {
    if (!isActive || connection === undefined) return
    let isCancelled = false
    let timer: ReturnType<typeof setTimeout>
    const look = async () => {
      if (globalThis.document.visibilityState === 'visible') {
        const variables = { last: 100, before: first, filters, totalCount: false } as AnyVariables
        const data = await read(document, variables).catch(() => undefined)
        // An answer for the previous filter does not apply to the current rows.
        if (data !== undefined && !isCancelled) setCount(pick(data).edges.length)
      }
      // Polls one after the other, however long one takes.
      if (!isCancelled) timer = setTimeout(look, POLL_MS)
    }
    timer = setTimeout(look, POLL_MS)
    return () => {
      isCancelled = true
      clearTimeout(timer)
    }
  }, [isActive, first, filters, document, pick, connection])
  return { count, clear: () => setCount(0), isWatching: isActive }
}
