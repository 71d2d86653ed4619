import type { Database } from '../database/database.js'
import { sql } from '../database/rows/sql.js'
import type { Instant } from '../kernel/instant.js'
import { parseFilters } from './conditions.js'
import type { Criterion, Test } from './fields.js'
import { type Listing, ownOrder } from './listing.js'
import { planOf, type Query } from './plan.js'
import { queryCriteria } from './query.js'
import { search } from './search.js'
import { SEARCH_SIZES, type SearchLimits } from './sizes.js'

/** Rows that are found first, and then named one by one. */
const MAX_FOUND = 100_000

/** Rows of a list: those of a range of time that a query of the list finds. */
export interface Wanted {
  /** The order of the list by time, which is also the name of the field. */
  time: 'startedAt' | 'createdAt'
  from: Instant
  to: Instant
  query: string
}

/**
 * Returns a test that, within the range, holds for the rows of a query; undefined when there are too many to tell. A
 * condition on rows of another table is no part of a statement: the rows that pass are found first.
 */
export const matching = async (
  db: Database,
  projectId: string,
  listing: Listing,
  { time, from, to, query }: Wanted,
  limits: SearchLimits,
): Promise<Test | undefined> => {
  const criteria = await queryCriteria(db, projectId, listing, query)
  const tests = criteria.flatMap((criterion) => ('test' in criterion ? criterion.test : []))
  if (tests.length === criteria.length)
    return tests.length === 0 ? sql`true` : sql.join(tests, sql` AND `)
  const asked: Query = {
    listing,
    projectId,
    column: time,
    order: ownOrder(listing, time),
    isAscending: false,
    criteria: [...(await rangeCriteria(db, listing, time, from, to)), ...criteria],
  }
  const { positions, isComplete } = await search(
    db,
    asked,
    planOf(asked),
    MAX_FOUND + 1,
    limits,
    SEARCH_SIZES,
  )
  if (!isComplete || positions.length > MAX_FOUND) return undefined
  return sql`${listing.id} = ANY(${positions.map(({ id }) => id)}::text[])`
}

const rangeCriteria = (
  db: Database,
  listing: Listing,
  field: string,
  from: Instant,
  to: Instant,
): Promise<Criterion[]> =>
  Promise.all(
    parseFilters(
      [
        { field, operator: 'gte', value: from },
        { field, operator: 'lt', value: to },
      ],
      listing.fields,
    ).map(({ rule, condition }) => rule.criterion(condition, db)),
  )
