import type { Database } from '../database/database.js'
import { byCodePoint } from './by-code-point.js'
import type { Position } from './cursor.js'
import { inTime } from './gather.js'
import type { SummedOrder } from './listing.js'
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
 * Finds the first rows of an order by sums. It finds all rows that pass, sums up a portion of them at a time, and keeps
 * the first ones: so no statement holds a connection or the embedded database for long, however many rows there are.
 */
export const searchSums = async (
  db: Database,
  query: SummedQuery,
  need: number,
  limits: SearchLimits,
  sizes: SearchSizes,
): Promise<Found> => {
  const deadline = performance.now() + limits.searchMs
  const gaveUp: Found = { positions: [], examined: sizes.sorted, isComplete: false }
  const all = byCreation(query)
  const passing = await search(db, all, planOf(all), sizes.sorted + 1, limits, sizes)
  if (!passing.isComplete || passing.positions.length > sizes.sorted) return gaveUp
  const ids = passing.positions.map(({ id }) => id)
  const compare = comparing(query)
  const isWanted = within(query)
  let first: Summed[] = []
  let size = sizes.firstWindow
  for (let at = 0; at < ids.length; ) {
    const portion = ids.slice(at, at + size)
    const summed = await inTime(
      deadline - performance.now(),
      () => query.order.sumsOf(db, portion),
      size > 1 ? sizes.windowMs : undefined,
    )
    if (summed === undefined) {
      if (size <= 1 || performance.now() > deadline) return gaveUp
      // Some have many rows to sum up.
      size = Math.max(1, size >> 3)
      continue
    }
    first = [...first, ...summed.filter(isWanted)].sort(compare).slice(0, need)
    at += portion.length
  }
  const positions = first.map(({ sum, id }) => ({ key: String(sum), id }))
  return { positions, examined: ids.length, isComplete: true }
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
