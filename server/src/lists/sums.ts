import type { Database } from '../database/database.js'
import { byCodePoint } from './by-code-point.js'
import type { Position } from './cursor.js'
import { inTime } from './gather.js'
import type { KeptOrder, SummedOrder } from './listing.js'
import { planOf, type Query } from './plan.js'
import { search } from './search.js'
import type { Found, SearchLimits, SearchSizes } from './sizes.js'

/** The rows of a list in an order by sums. */
export interface SummedQuery extends Omit<Query, 'order'> {
  order: SummedOrder
}

export const isSummed = (query: Query | SummedQuery): query is SummedQuery =>
  'sumsOf' in query.order

/** Returns the query of all its rows, by creation. */
export const byCreation = (query: SummedQuery): Query => {
  const { createdAt } = query.listing.orders
  return { ...query, column: 'createdAt', order: createdAt, from: undefined, to: undefined }
}

/** A row's place in the order. */
interface Summed {
  sum: number
  id: string
}

/**
 * Finds the first rows of an order by sums. Where they are kept, and all rows are asked for, an index has most of them in order.
 * Otherwise it finds all rows that pass, and sums them up.
 */
export const searchSums = async (
  db: Database,
  query: SummedQuery,
  need: number,
  limits: SearchLimits,
  sizes: SearchSizes,
): Promise<Found> => {
  const deadline = performance.now() + limits.searchMs
  const all = byCreation(query)
  const isWhole = query.criteria.length === 0 && query.listing.always === undefined
  const most = { need, mostOthers: sizes.sorted + 1 }
  const kept = isWhole ? await query.order.kept?.(db, query, most) : undefined
  if (kept !== undefined && kept.others.length <= sizes.sorted)
    return firstOf(db, query, kept, need, deadline, sizes)
  const passing = await search(db, all, planOf(all), sizes.sorted + 1, limits, sizes)
  if (!passing.isComplete || passing.positions.length > sizes.sorted) return gaveUp(sizes)
  const others = passing.positions.map(({ id }) => id)
  return firstOf(db, query, { first: [], others }, need, deadline, sizes)
}

const gaveUp = ({ sorted }: SearchSizes): Found => ({
  positions: [],
  examined: sorted,
  isComplete: false,
})

/**
 * Returns the first of some rows in order and all others, which are summed up. It sums up a portion of them at a time, and keeps
 * the first ones: so no statement holds a connection or the embedded database for long, however many rows there are.
 */
const firstOf = async (
  db: Database,
  query: SummedQuery,
  { first, others }: KeptOrder,
  need: number,
  deadline: number,
  sizes: SearchSizes,
): Promise<Found> => {
  const compare = comparing(query)
  const isWanted = within(query)
  let found: Summed[] = first.toSorted(compare)
  let size = sizes.firstWindow
  for (let at = 0; at < others.length; ) {
    const portion = others.slice(at, at + size)
    const summed = await inTime(
      deadline - performance.now(),
      () => query.order.sumsOf(db, portion),
      size > 1 ? sizes.windowMs : undefined,
    )
    if (summed === undefined) {
      if (size <= 1 || performance.now() > deadline) return gaveUp(sizes)
      // Some have many rows to sum up.
      size = Math.max(1, size >> 3)
      continue
    }
    found = [...found, ...summed.filter(isWanted)].sort(compare).slice(0, need)
    at += portion.length
  }
  const positions = found.map(({ sum, id }) => ({ key: String(sum), id }))
  return { positions, examined: first.length + others.length, isComplete: true }
}

/** Compares places in the direction of a query; equal sums go by id. */
const comparing =
  ({ isAscending }: SummedQuery) =>
  (one: Summed, other: Summed): number => {
    const order = one.sum === other.sum ? byCodePoint(one.id, other.id) : one.sum - other.sum
    return isAscending ? order : -order
  }

/** Returns a test for places between the positions of a query. */
const within = (query: SummedQuery) => {
  const compare = comparing(query)
  const placeOf = (position: Position | undefined): Summed | undefined =>
    position && { sum: Number(position.key), id: position.id }
  const [from, to] = [placeOf(query.from), placeOf(query.to)]
  return (place: Summed): boolean =>
    (from === undefined || compare(place, from) > 0) && (to === undefined || compare(place, to) < 0)
}
