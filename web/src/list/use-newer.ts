import { useEffect, useState } from 'react'
import type { AnyVariables } from 'urql'
import type { Problem } from '../data/problem.js'
import { ProblemError, read } from '../data/use-data.js'
import type { Connection, ListConfig } from './list-config.js'

const POLL_MS = 5000

/**
 * Returns the cursor of the first row that is not ahead of the clock: newer rows come before it. Null when all rows are
 * ahead, undefined when there are none.
 */
const placeOfNow = <Row>(
  { edges, pageInfo }: Connection<Row>,
  startOf: ((row: Row) => string) | undefined,
): string | null | undefined =>
  edges.length === 0 || startOf === undefined
    ? (pageInfo.startCursor ?? undefined)
    : (edges.find(({ node }) => Date.parse(startOf(node)) <= Date.now())?.cursor ?? null)

/** Counts the rows that came since the page was read; announces them without moving the rows that are being read. */
export const useNewer = <Data, Row>(
  { document, pick, keyOf, startOf }: ListConfig<Data, Row>,
  connection: Connection<Row> | undefined,
  { isActive, asked }: { isActive: boolean; asked: object },
) => {
  const [count, setCount] = useState(0)
  const [problem, setProblem] = useState<Problem>()
  const first = connection && placeOfNow(connection, startOf)
  useEffect(() => {
    setCount(0)
    setProblem(undefined)
  }, [first, asked])
  useEffect(() => {
    if (!isActive || connection === undefined || first === null) return
    const known = new Set(connection.edges.map(({ node }) => keyOf(node)))
    let isCancelled = false
    let timer: ReturnType<typeof setTimeout>
    const look = async () => {
      if (globalThis.document.visibilityState === 'visible') {
        const variables = { last: 100, before: first, ...asked, totalCount: false } as AnyVariables
        const answer = await read(document, variables).catch((error: Error) => error)
        // An answer for the previous filter does not apply to the current rows.
        if (isCancelled) return
        setProblem(answer instanceof ProblemError ? answer.problem : undefined)
        if (!(answer instanceof Error))
          setCount(pick(answer).edges.filter(({ node }) => !known.has(keyOf(node))).length)
      }
      // Polls one after the other, however long one takes.
      if (!isCancelled) timer = setTimeout(look, POLL_MS)
    }
    timer = setTimeout(look, POLL_MS)
    return () => {
      isCancelled = true
      clearTimeout(timer)
    }
  }, [isActive, first, asked, document, pick, keyOf, connection])
  return {
    count,
    clear: () => setCount(0),
    isWatching: isActive,
    /** The reason why nothing is known of newer rows. */
    problem: isActive ? problem : undefined,
  }
}
