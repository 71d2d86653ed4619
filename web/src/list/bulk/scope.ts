/** The most rows that one action is applied to. */
export const MAX_ROWS = 10_000

/** The rows of an action: those that were chosen, or all that match the filter. */
export interface Scope<Row> {
  /** The number of rows; undefined while it is unknown. */
  size: number | undefined
  /** True for all rows that match, on all pages. */
  isAll: boolean
  /** The chosen rows on this page; none when all that match are meant. */
  rows: readonly Row[]
  /** Reads the rows, at most `MAX_ROWS` of them. */
  load: (signal: AbortSignal) => Promise<readonly Row[]>
}

const PAGE_SIZE = 200

interface PageOf<Row> {
  edges: readonly { node: Row }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

/** Reads all rows of a list, up to a number. */
export const readRows = async <Row>(
  readPage: (first: number, after: string | null) => Promise<PageOf<Row>>,
  most: number,
  signal: AbortSignal,
): Promise<Row[]> => {
  const rows: Row[] = []
  let after: string | null = null
  while (rows.length < most && !signal.aborted) {
    const page: PageOf<Row> = await readPage(Math.min(PAGE_SIZE, most - rows.length), after)
    rows.push(...page.edges.map(({ node }) => node))
    after = page.pageInfo.endCursor
    if (!page.pageInfo.hasNextPage || after === null) break
  }
  return rows
}
