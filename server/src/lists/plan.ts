import { cast } from '../database/rows/columns.js'
import { type RowOf, select, sql } from '../database/rows/sql.js'
import type { Position } from './cursor.js'
import type { Criterion, IndexHint, Relation, Test, Value } from './fields.js'
import type { Listing, Order } from './listing.js'

/** The rows to find, and where to start. */
export interface Query {
  listing: Listing
  projectId: string
  column: string
  order: Order
  isAscending: boolean
  /** Rows are read from after this one … */
  from?: Position | undefined
  /** … up to before this one. */
  to?: Position | undefined
  criteria: readonly Criterion[]
}

/** A query in parts: conditions that an index answers in the order of the list, and conditions to test for each row. */
export interface Plan {
  /** Read by an index, in order. */
  scope: Test[]
  tests: Test[]
  relations: Relation[]
  /** Indexes that the scope does not use. */
  indexHints: IndexHint[]
  /** Texts that the contents of all rows have. */
  contained: string[]
}

export const planOf = (query: Query): Plan => {
  const { listing, projectId, column, criteria } = query
  const { indexOrder = 'createdAt' } = listing
  const plan: Plan = {
    scope: [
      sql`${listing.projectId} = ${projectId}`,
      ...(listing.always === undefined ? [] : [listing.always]),
      ...before(query, query.to),
    ],
    tests: [],
    relations: [],
    indexHints: [],
    contained: [],
  }
  let leading: IndexHint | undefined
  for (const criterion of criteria) {
    if ('relation' in criterion) {
      plan.relations.push(criterion.relation)
      continue
    }
    const { test, indexHint, contained } = criterion
    if (contained !== undefined) plan.contained.push(contained)
    const indexHints =
      indexHint !== undefined &&
      (indexHint.bounds === column ||
        (indexHint.isInOrder === true &&
          column === indexOrder &&
          (leading === undefined || isNarrower(leading, indexHint))))
    if (indexHint !== undefined && indexHints) {
      plan.scope.push(indexHint.test)
      if (indexHint.bounds === undefined) leading = indexHint
    } else if (indexHint !== undefined) plan.indexHints.push(indexHint)
    if (!(indexHints && indexHint?.isExact)) plan.tests.push(test)
  }
  return plan
}

/** Returns true when there is an index of the rows of one hint by the value of another one. */
const isNarrower = ({ narrowedBy }: IndexHint, { narrows }: IndexHint): boolean =>
  narrows !== undefined && narrows === narrowedBy

/** Returns true when an index answers all of a query, so that no row needs a test. */
export const isAnswered = ({ tests, relations }: Plan): boolean =>
  tests.length === 0 && relations.length === 0

export const and = (tests: readonly Test[]) =>
  tests.length === 0 ? sql`true` : sql.join(tests, sql` AND `)

/** Compares a row's position with another one. */
const compared = (
  { order, listing }: Query,
  operator: '<' | '<=' | '>' | '>=',
  position: Position,
): Test =>
  sql`(${order.value}, ${listing.id}) ${sql.raw(operator)} (${position.key}::${sql.raw(order.type)}, ${position.id}::text)`

/** Selects the rows after a position, in the order of the query. */
export const behind = (query: Query, position: Position | undefined): Test[] =>
  position === undefined ? [] : [compared(query, query.isAscending ? '>' : '<', position)]

/** Selects the rows before a position, in the order of the query. */
const before = (query: Query, position: Position | undefined): Test[] =>
  position === undefined ? [] : [compared(query, query.isAscending ? '<' : '>', position)]

/** Selects the rows up to a position, which is included. */
export const upTo = (query: Query, position: Position | undefined): Test[] =>
  position === undefined ? [] : [compared(query, query.isAscending ? '<=' : '>=', position)]

export const directionOf = ({ isAscending }: Query) => (isAscending ? sql`ASC` : sql`DESC`)

export const fromRows = ({ listing, projectId }: Query) =>
  sql`FROM ${listing.table} ${listing.alias} WHERE ${listing.projectId} = ${projectId} AND ${listing.always ?? sql`true`}`

export const positionOf = ({ listing, order }: Query) => ({
  id: listing.id,
  key: cast('text', order.value),
})

export const linkedPosition = (query: Query, { relations }: Plan) => {
  const links = Object.fromEntries(relations.map(({ link }, index) => [`link${index}`, link]))
  const columns: Record<`link${number}`, Value<string | null>> & ReturnType<typeof positionOf> = {
    ...positionOf(query),
    ...links,
  }
  return select(columns)
}

/** A row's position, and the columns by which the relations of its search refer to it. */
export type LinkedPosition = RowOf<ReturnType<typeof linkedPosition>>
