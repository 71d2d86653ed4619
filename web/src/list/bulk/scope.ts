/** The most rows that one action is applied to. */
export const MAX_ROWS = 10_000

/** The rows of an action: those that were chosen, or all that match the filter. */
export interface Scope<Row> {
  /** The number of rows that was announced: an action on an unknown number is not offered. */
  size: number
  /** True for all rows that match, on all pages. */
  isAll: boolean
  /** The chosen rows on this page; none when all that match are meant. */
  rows: readonly Row[]
  /** Reads the rows, at most `MAX_ROWS` of them. */
  load: (signal: AbortSignal) => Promise<readonly Row[]>
}

const PAGE_SIZE = 200

export interface PageOf<Row> {
  edges: readonly { node: Row }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

/**
 * Reads all rows of a list, up to a number, each once: in orders that change, a row may come again on a later page. Throws
 * when the signal aborts, as a part of the rows is not what was asked for.
 */
export const readRows = async <Row>(
  readPage: (first: number, after: string | null) => Promise<PageOf<Row>>,
  keyOf: (row: Row) => string,
  most: number,
  signal: AbortSignal,
): Promise<Row[]> => {
  const rows = new Map<string, Row>()
  let after: string | null = null
  while (rows.size < most) {
    const page: PageOf<Row> = await readPage(Math.min(PAGE_SIZE, most - rows.size), after)
    signal.throwIfAborted()
    for (const { node } of page.edges) rows.set(keyOf(node), node)
    after = page.pageInfo.endCursor
    if (!page.pageInfo.hasNextPage || after === null) break
  }
  return [...rows.values()]
}
