import type { Field, Test, Value } from './fields.js'

/** What a list can be ordered by. A null sorts below every value, which `value` says by its sentinel. */
export interface Order {
  value: Value
  type: 'timestamptz' | 'float8' | 'text'
  /** Whether an index has the rows in this order; without one, only as many are sorted as can be at once. */
  isIndexed: boolean
}

/** A list that can be paged through: everything but the project and the request. */
export interface Listing {
  table: Value
  /** What the table is called in all the rest. */
  alias: Value
  columns: Value
  id: Value
  projectId: Value
  createdAt: Value
  /** Holds for every row of the list, whatever is asked for; the indexes of its orders have no other rows. */
  always?: Test
  fields: Record<string, Field>
  orders: Record<string, Order> & { createdAt: Order }
}
