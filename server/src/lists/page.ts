import type { Database } from '../database/database.js'
import { cast } from '../database/rows/columns.js'
import { select, sql } from '../database/rows/sql.js'
import { DomainError, invalid, show } from '../kernel/errors.js'
import { parseInstant } from '../kernel/instant.js'
import { type Filter, parseFilters } from './conditions.js'
import { count } from './count.js'
import { type Position, parseCursor, showCursor } from './cursor.js'
import { type Criterion, creation, type Test } from './fields.js'
import { findAmong } from './gather.js'
import type { Listing } from './listing.js'
import { behind, directionOf, isAnswered, planOf, type Query } from './plan.js'
import { readInPortions } from './portions.js'
import { queryCriteria } from './query.js'
import { search } from './search.js'
import { type Found, SEARCH_SIZES, type SearchLimits, type SearchSizes } from './sizes.js'
import { byCreation, isSummed, type SummedQuery, searchSums } from './sums.js'

const DEFAULT_SIZE = 20
const LARGEST_SIZE = 1000
const MAX_SKIPPED = 100_000

/** The page of a list to read, in the form of the GraphQL arguments. */
export interface PageRequest {
  first?: number | null | undefined
  last?: number | null | undefined
  after?: string | null | undefined
  before?: string | null | undefined
  skip?: number | null | undefined
  cursorAnchor?: string | null | undefined
  filters?: readonly Filter[] | null | undefined
  /** Conditions as text. */
  query?: string | null | undefined
  orderBy?: { column: string; direction: 'ASC' | 'DESC' } | null | undefined
}

export interface Page<Row> {
  rows: (Row & { cursor: string })[]
  hasNextPage: boolean
  hasPreviousPage: boolean
  /** Counts when called. */
  count: () => Promise<number>
}

type Positioned<Row> = Row & { cursorKey: string; cursorId: string }

/** Reads lists page by page. */
export class Pages {
  readonly #db: Database
  readonly #limits: SearchLimits
  readonly #sizes: SearchSizes

  constructor(db: Database, limits: SearchLimits, sizes = SEARCH_SIZES) {
    this.#db = db
    this.#limits = limits
    this.#sizes = sizes
  }

  /**
   * Reads a page by keyset: a cursor holds the sort key and id of its row, so the page after it starts there, whatever
   * was inserted or deleted since, and its depth costs nothing. `ahead` counts all rows of the request without reading them, where
   * it can.
   */
  async read<Row>(
    projectId: string,
    listing: Listing<Row>,
    request: PageRequest,
    ahead?: () => Promise<number | undefined>,
  ): Promise<Page<Row>> {
    const column = request.orderBy?.column ?? 'createdAt'
    const order = Object.hasOwn(listing.orders, column) ? listing.orders[column] : undefined
    if (order === undefined)
      throw invalid(
        `orderBy.column: ${show(column)} is no order of this list; expected one of ${Object.keys(listing.orders).join(', ')}`,
      )
    const isAscending = request.orderBy?.direction === 'ASC'
    const place = { list: listing.name, column }
    const after = parseCursor('after', request.after, place, order)
    const before = parseCursor('before', request.before, place, order)
    const { size, isBackward, skip } = parseRange(request)
    const rest = {
      listing,
      projectId,
      column,
      isAscending: isAscending !== isBackward,
      from: isBackward ? before : after,
      to: isBackward ? after : before,
      criteria: [
        ...anchorOf(listing, request.cursorAnchor),
        ...(await this.#criteria(listing, request.filters)),
        ...(await queryCriteria(this.#db, projectId, listing, request.query)),
      ],
    }
    const query = 'sumsOf' in order ? { ...rest, order } : { ...rest, order }
    const { rows: page, isMore } = await this.#rows<Row>(query, skip, size)
    // A page that is the whole list has been counted.
    const isWhole = !isMore && size > 0 && skip === 0 && after === undefined && before === undefined
    const total = isWhole ? page.length : undefined
    if (isBackward) page.reverse()
    return {
      rows: page.map(({ cursorKey, cursorId, ...row }) => ({
        ...(row as Row),
        cursor: showCursor(place, { key: cursorKey, id: cursorId }),
      })),
      hasNextPage: isBackward ? before !== undefined || skip > 0 : isMore,
      hasPreviousPage: isBackward ? isMore : after !== undefined || skip > 0,
      count: async () =>
        total ??
        count(
          this.#db,
          isSummed(query) ? byCreation(query) : { ...query, from: undefined, to: undefined },
          this.#limits,
          this.#sizes,
          ahead,
        ),
    }
  }

  /** Returns those of some rows that pass all filters. */
  async passing(
    projectId: string,
    listing: Listing,
    filters: PageRequest['filters'],
    ids: readonly string[],
  ): Promise<string[]> {
    const criteria = await this.#criteria(listing, filters)
    if (ids.length === 0) return []
    const column = 'createdAt'
    const order = listing.orders[column]
    const query = { listing, projectId, column, order, isAscending: true, criteria }
    return (await findAmong(this.#db, query, ids)).map(({ id }) => id)
  }

  /** Returns them by precedence. */
  #criteria(listing: Listing, filters: PageRequest['filters']): Promise<Criterion[]> {
    return Promise.all(
      parseFilters(filters, listing.fields)
        .toSorted((a, b) => a.rule.precedence - b.rule.precedence)
        .map(({ rule, condition }) => rule.criterion(condition, this.#db)),
    )
  }

  /** Reads the rows of a page. `isMore` is false for a page without rows, which has no cursor to continue from. */
  async #rows<Row>(
    query: Query | SummedQuery,
    skip: number,
    size: number,
  ): Promise<{ rows: Positioned<Row>[]; isMore: boolean }> {
    if (size === 0) return { rows: [], isMore: false }
    const need = size + 1
    if (!isSummed(query) && query.order.isIndexed) {
      const plan = planOf(query)
      if (isAnswered(plan)) {
        const rows = await this.#readIndexed<Row>(query, plan.scope, skip, need)
        return { rows: onceEach(rows.slice(0, size)), isMore: rows.length > size }
      }
    }
    const { positions, examined, isComplete } = await this.#find(query, skip + need)
    const found = positions.slice(skip)
    if (!isComplete && found.length === 0) throw gaveUp(query, examined, this.#limits)
    const wanted = found.slice(0, size)
    const last = wanted.at(-1)
    const rows = await this.#at<Row>(query, wanted)
    // By what was found, as rows that were deleted since must not end a walk.
    const isMore = last !== undefined && (found.length > size || !isComplete)
    if (isMore && rows.length === 0) return this.#rows({ ...query, from: last }, 0, size)
    return { rows, isMore }
  }

  #find(query: Query | SummedQuery, need: number): Promise<Found> {
    const [db, limits, sizes] = [this.#db, this.#limits, this.#sizes]
    return isSummed(query)
      ? searchSums(db, query, need, limits, sizes)
      : search(db, query, planOf(query), need, limits, sizes)
  }

  /** Reads rows that an index finds without further tests. */
  #readIndexed<Row>(
    query: Query,
    scope: readonly Test[],
    skip: number,
    need: number,
  ): Promise<Positioned<Row>[]> {
    const { listing, order } = query
    const direction = directionOf(query)
    const columns = listing.columns.and(
      select({ cursorKey: cast('text', order.value), cursorId: listing.id }),
    )
    let last = query.from
    return readInPortions(need, async (from, count) => {
      const { rows } = await sql`
        SELECT ${columns}
        FROM ${listing.table} ${listing.alias}
        WHERE ${sql.join([...scope, ...behind(query, last)], sql` AND `)}
        ORDER BY ${order.value} ${direction}, ${listing.id} ${direction}
        LIMIT ${count} OFFSET ${from === 0 ? skip : 0}`.execute(this.#db)
      const portion = rows as Positioned<Row>[]
      const end = portion.at(-1)
      if (end !== undefined) last = { key: end.cursorKey, id: end.cursorId }
      return portion
    })
  }

  /** Returns the rows at some positions, in their order. A row that was deleted in between is left out. */
  async #at<Row>(
    { listing, projectId }: Pick<Query, 'listing' | 'projectId'>,
    positions: readonly Position[],
  ): Promise<Positioned<Row>[]> {
    const columns = listing.columns.and(select({ cursorId: listing.id }))
    const found = await readInPortions(positions.length, async (from, count) => {
      const wanted = positions.slice(from, from + count)
      const { rows } = await sql`
        SELECT ${columns} FROM ${listing.table} ${listing.alias}
        WHERE ${listing.projectId} = ${projectId} AND ${listing.id} = ANY(${wanted.map(({ id }) => id)}::text[])`.execute(
        this.#db,
      )
      const byId = new Map((rows as Positioned<Row>[]).map((row) => [row.cursorId, row]))
      return wanted.map(({ id, key }) => ({ row: byId.get(id), key }))
    })
    return found.flatMap(({ row, key }) => (row === undefined ? [] : [{ ...row, cursorKey: key }]))
  }
}

/** Leaves out what was read twice: a row may move while a page is read in portions. */
const onceEach = <Row extends { cursorId: string }>(rows: readonly Row[]): Row[] => {
  const seen = new Set<string>()
  return rows.filter(({ cursorId }) => !seen.has(cursorId) && seen.add(cursorId))
}

/** The anchor is one condition more. */
const anchorOf = ({ createdAt }: Listing, anchor: string | null | undefined): Criterion[] => {
  if (anchor == null) return []
  const value = parseInstant('cursorAnchor', anchor)
  return [creation(createdAt).criterion({ operator: 'lte', value, path: undefined })]
}

const gaveUp = (
  { order, column, listing }: Query | SummedQuery,
  examined: number,
  { searchRows, searchMs }: SearchLimits,
): DomainError => {
  const rows = examined.toLocaleString('en')
  const narrower = `narrow the list, for example by ${column === 'createdAt' ? column : (listing.indexOrder ?? 'createdAt')}`
  if (!order.isIndexed)
    return new DomainError(
      'TOO_LARGE',
      `orderBy.column: at most ${rows} rows are sorted by ${column}; ${narrower}`,
    )
  const limit =
    examined < searchRows
      ? `first ${rows} rows, which took the ${searchMs / 1000} s that a search may last`
      : `${rows} rows that a search may read`
  return new DomainError('TOO_LARGE', `filters: no match among the ${limit}; ${narrower}`)
}

const parseRange = ({ first, last, after, before, skip }: PageRequest) => {
  for (const [name, value] of Object.entries({ first, last, skip }))
    if (value != null && value < 0) throw invalid(`${name}: expected 0 or more, got ${value}`)
  if (first != null && last != null) throw invalid('first, last: expected one of them, got both')
  const size = last ?? first ?? DEFAULT_SIZE
  if (size > LARGEST_SIZE)
    throw invalid(
      `${last == null ? 'first' : 'last'}: expected at most ${LARGEST_SIZE}, got ${size}`,
    )
  if (skip != null && skip > MAX_SKIPPED)
    throw invalid(
      `skip: expected at most ${MAX_SKIPPED}, got ${skip}; a cursor in after costs the same at any depth`,
    )
  // `before` alone means the rows next to that cursor, whether their number is in `first` or `last`. An empty one is none.
  return { size, isBackward: last != null || (Boolean(before) && !after), skip: skip ?? 0 }
}
